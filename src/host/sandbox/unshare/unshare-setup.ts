/**
 * A program in perl that runs as the first process of new namespaces: it builds what the command sees in a file tree of its own, as
 * bubblewrap does, makes that the only one, gives up every capability, has the kernel filter system calls, and starts
 * the command. Anything that fails ends it before the command began.
 *
 * `perl -e PROGRAM -- NUMBERS FILTER FOLDER VARIABLES (NAME VALUE)… (STEP TARGET WORD)… run COMMAND…`
 */
export const setUp: string = String.raw`
use strict;
my ($mount, $umount, $pivot, $setattr, $prctl, $capset, $setsid) = map { 0 + $_ } split /,/, shift;
my ($filterFile, $folder, $variables) = (shift, shift, shift);
my %inner;
while ($variables-- > 0) { my $name = shift; $inner{$name} = shift }
delete $ENV{PERL_BADLANG};

sub fail { print STDERR "unshare: cannot $_[0]: $!\n"; exit 126 }
sub call { my ($what, @words) = @_; syscall($words[0], @words[1 .. $#words]) != -1 or fail($what) }

# Numbers of the kernel: of flags for mount(2), and of attributes for mount_setattr(2).
my ($bindAll, $noSuid, $noDev, $noExec, $detach) = (0x5000, 2, 4, 8, 2);
my ($readOnly, $noSuidAttribute, $noDevAttribute) = (1, 2, 4);

# Sources are looked for in the old tree and targets in the new one, whatever already lies over them.
sub parents {
  my ($path) = @_;
  while ($path =~ m{/+}g) {
    my $parent = substr($path, 0, $-[0]);
    -d $parent or mkdir($parent, 0755) or fail("make $parent") if $parent ne "";
  }
}
sub makeFolder { my ($path) = @_; parents($path); -d $path or mkdir($path, 0755) or fail("make $path") }
sub makeFile {
  my ($path) = @_;
  parents($path);
  return if lstat $path;
  open(my $file, ">", $path) or fail("make $path");
  close $file;
}
sub protect {
  my ($target, $attributes) = @_;
  my $struct = pack("Q4", $attributes, 0, 0, 0);
  call("protect $target", $setattr, -100, $target, 0x8000, $struct, 32);
}
sub bindOver {
  my ($source, $target, $attributes) = @_;
  if (-d $source) { makeFolder($target) } else { makeFile($target) }
  call("mount $source", $mount, $source, $target, 0, $bindAll, 0);
  protect($target, $attributes);
}
sub mountNew {
  my ($type, $target, $flags, $options) = @_;
  makeFolder($target);
  call("mount $type at $target", $mount, $type, $target, $type, $flags, $options);
}
sub devices {
  my ($target) = @_;
  mountNew("tmpfs", $target, $noSuid | $noDev, "mode=0755");
  for my $name (qw(null zero full random urandom tty)) {
    bindOver("/old/dev/$name", "$target/$name", $noSuidAttribute) if -e "/old/dev/$name";
  }
  my %links = (stdin => "/proc/self/fd/0", stdout => "/proc/self/fd/1", stderr => "/proc/self/fd/2",
    fd => "/proc/self/fd", core => "/proc/kcore", ptmx => "pts/ptmx");
  for my $name (keys %links) { symlink($links{$name}, "$target/$name") or fail("make $target/$name") }
  makeFolder("$target/shm");
  mountNew("devpts", "$target/pts", $noSuid | $noExec, "newinstance,ptmxmode=0666,mode=620");
}

# A tree with nothing in it but the old one and the new one.
my ($base, $old, $here) = ("/tmp", "/tmp/old", ".");
mountNew("tmpfs", $base, $noSuid | $noDev, "mode=0755");
mkdir("/tmp/old", 0755) && mkdir("/tmp/new", 0755) or fail("make a tree");
call("leave the old tree", $pivot, $base, $old);
chdir "/" or fail("enter the new tree");

my %steps = (
  read => sub { bindOver("/old$_[1]", $_[0], $readOnly | $noSuidAttribute | $noDevAttribute) },
  write => sub { bindOver("/old$_[1]", $_[0], $noSuidAttribute | $noDevAttribute) },
  fresh => sub { mountNew("tmpfs", $_[0], $noSuid | $noDev, "mode=0755$_[1]") },
  empty => sub { mountNew("tmpfs", $_[0], $noSuid | $noDev, "mode=0755$_[1]"); protect($_[0], $readOnly) },
  devices => sub { devices($_[0]) },
  processes => sub { mountNew("proc", $_[0], $noSuid | $noDev | $noExec, "") },
);
while (@ARGV) {
  my $step = shift;
  last if $step eq "run";
  my ($target, $word) = ("/new" . shift, shift);
  $steps{$step}->($target, $word);
}

# What is to be read from the old tree is read before that goes.
my $filter = "";
if ($filterFile ne "") {
  open(my $file, "<:raw", "/old$filterFile") or fail("read the filter");
  local $/;
  $filter = <$file>;
  close $file;
}
$old = "/old";
call("close the old tree", $umount, $old, $detach);
chdir "/new" or fail("enter the new tree");
call("enter the new tree", $pivot, $here, $here);
call("close the tree in between", $umount, $here, $detach);
chdir "/" && chdir $folder or fail("enter $folder");

# The loopback device is all the network there is.
socket(my $socket, 2, 2, 0) or fail("make a socket");
my $up = pack("a16 s x22", "lo", 0x41);
ioctl($socket, 0x8914, $up) or fail("start the loopback device");
close $socket;

# No capability is left, and none comes back; then no system call that the filter refuses.
syscall($setsid);
for my $capability (0 .. 63) { syscall($prctl, 24, $capability, 0, 0, 0) }
call("give up inherited rights", $prctl, 47, 4, 0, 0, 0);
my ($header, $none) = (pack("Ll", 0x20080522, 0), pack("L6", (0) x 6));
call("give up all rights", $capset, $header, $none);
call("refuse new rights", $prctl, 38, 1, 0, 0, 0);
call("end with haft", $prctl, 1, 9, 0, 0, 0);
if ($filter ne "") {
  my $program = pack("S x![P] P", length($filter) / 8, $filter);
  call("filter system calls (seccomp)", $prctl, 22, 2, $program, 0, 0);
}

# The first process of the namespace takes in what is left of others, and ends all of it with the command.
my $child = fork;
defined $child or fail("start the command (fork)");
if ($child == 0) {
  $ENV{$_} = $inner{$_} for keys %inner;
  exec { $ARGV[0] } @ARGV or fail("start $ARGV[0]");
}
for my $descriptor (3 .. 9) { my $copy; open($copy, "<&=", $descriptor) and close $copy }
while ((my $ended = wait) > 0) {
  exit($? & 127 ? 128 + ($? & 127) : $? >> 8) if $ended == $child;
}
exit 126;
`;
