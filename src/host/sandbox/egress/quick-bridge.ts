/**
 * The program of the bridge in perl, which starts in a tenth of Node's time: `perl -e PROGRAM -- PORT SOCKET PROGRAM ARGS…`. It
 * listens on the loopback port, leaves a process that carries each connection to haft's proxy behind the socket, and
 * becomes the command. That process ends with the namespace.
 */
export const quickBridge: string = String.raw`
use strict;
my ($port, $path) = (shift, shift);
delete $ENV{PERL_BADLANG};
my $address = pack("S n C4 x8", 2, $port, 127, 0, 0, 1);
my $server;
socket($server, 2, 1, 0) && bind($server, $address) && listen($server, 256) or exit 126;
my $bridge = fork;
defined $bridge or exit 126;
if ($bridge != 0) { exec { $ARGV[0] } @ARGV or exit 126 }

$SIG{$_} = "IGNORE" for qw(TERM INT HUP PIPE);
for my $descriptor (0 .. 9) {
  next if $descriptor == fileno $server;
  my $copy;
  open($copy, "<&=", $descriptor) and close $copy;
}
fcntl($server, 4, 2048);
# The ends of all connections, by descriptor. Each holds what is still to be written to it.
my %ends;
sub add {
  my ($socket) = @_;
  fcntl($socket, 4, 2048);
  return $ends{fileno $socket} = { socket => $socket, waiting => "", ended => 0, shut => 0 };
}
sub drop { for my $end ($_[0], $_[0]{other}) { delete $ends{fileno $end->{socket}}; close $end->{socket} } }
# Nothing more comes for this end, once it has what is waiting.
sub finish {
  my ($end) = @_;
  return if $end->{shut} || $end->{waiting} ne "" || !$end->{other}{ended};
  shutdown($end->{socket}, 1);
  $end->{shut} = 1;
  drop($end) if $end->{other}{shut};
}
sub isHarmless { return $!{EAGAIN} || $!{EINTR} }
while (1) {
  my ($readable, $writable) = ("", "");
  vec($readable, fileno $server, 1) = 1;
  for my $end (values %ends) {
    vec($readable, fileno $end->{socket}, 1) = 1 if !$end->{ended} && $end->{other}{waiting} eq "";
    vec($writable, fileno $end->{socket}, 1) = 1 if $end->{waiting} ne "";
  }
  next if select($readable, $writable, undef, undef) < 1;
  if (vec($readable, fileno $server, 1) && accept(my $client, $server)) {
    my $proxy;
    if (socket($proxy, 1, 1, 0) && connect($proxy, pack("S a108", 1, $path))) {
      my ($one, $two) = (add($client), add($proxy));
      ($one->{other}, $two->{other}) = ($two, $one);
    }
  }
  for my $number (keys %ends) {
    my $end = $ends{$number} or next;
    if (vec($writable, $number, 1)) {
      my $count = syswrite($end->{socket}, $end->{waiting});
      if (!defined $count) { drop($end) unless isHarmless(); next }
      substr($end->{waiting}, 0, $count) = "";
      finish($end);
      next unless $ends{$number};
    }
    if (vec($readable, $number, 1)) {
      my $count = sysread($end->{socket}, $end->{other}{waiting}, 65536);
      if (!defined $count) { drop($end) unless isHarmless(); next }
      next if $count > 0;
      $end->{ended} = 1;
      finish($end->{other});
    }
  }
}
`;
