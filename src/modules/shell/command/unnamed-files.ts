/**
 * Programs that change files which their line does not name: those in the folder they are in, those that an archive, a
 * list or a configuration names, and those whose names they make up. Nothing is known of their line by its words.
 */
const unnamed: ReadonlySet<string> = new Set(
  [
    // Unpacking, patching, splitting, renaming.
    "tar gtar bsdtar cpio pax ar unar unrar rar 7z 7za 7zr 7zz unzip zip unshar shar uudecode uuencode patch dpatch quilt",
    "split csplit rename prename file-rename mmv mcp mln mad vidir detox qmv qcp imv icp rnr krename convmv zmv dpkg rpm",
    // Cleaning, and whatever walks a folder.
    "find fd fdfind logrotate tmpwatch tmpreaper systemd-tmpfiles trash-empty trash-put gio rmlint fdupes jdupes rdfind duperemove",
    "hardlink bleachbit stow xstow bfs fselect",
    // Keeping two places alike.
    "rsync rclone unison lsyncd syncthing restic borg duplicity rdiff-backup rsnapshot tarsnap lftp ftp tftp sftp scp ncftp",
    "aria2c wget2 csync mc ranger nnn lf",
    // Other keepers of versions.
    "hg svn bzr brz fossil darcs cvs jj p4 sl got pijul repo git-annex git-lfs git-crypt tig lazygit gitui hub dvc chezmoi yadm vcsh",
    "etckeeper rcs ci co gitk",
    // Writing code anew.
    "gofmt goimports gofumpt rustfmt black ruff isort autopep8 yapf pyupgrade autoflake rubocop standard standardrb xo swiftlint",
    "swiftformat ktlint ktfmt scalafmt clang-format clang-tidy shfmt dos2unix unix2dos perltidy tidy stylua elm-format ormolu",
    // The machine's own places.
    "mount umount losetup fusermount ldconfig depmod update-alternatives alternatives debugfs",
  ].flatMap((names) => names.split(" ")),
);

/** The shell's own words: they change what later ones mean, or evaluate what they are given. */
const builtins: ReadonlySet<string> = new Set(
  (
    "unset read mapfile readarray getopts let declare typeset local export readonly alias unalias enable hash bind " +
    "complete compgen compopt caller dirs fc jobs fg bg disown exec eval builtin logout popd pushd shopt source . " +
    "suspend trap ulimit umask history"
  ).split(" "),
);

export function changesUnnamed(name: string): boolean {
  return unnamed.has(name);
}

export function isBuiltin(name: string): boolean {
  return builtins.has(name);
}
