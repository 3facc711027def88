/** Forms of programs that are known to do harm in others: they list, or say what they would do. */
export const onlyLooks: readonly RegExp[] = [
  // Disks: the tables of all there are, not what is told of one device.
  /^(fdisk|sfdisk|gdisk|sgdisk|parted) (-l|--list)$/,
  /^blockdev --report$/,
  /^cryptsetup( -v| --verbose)? status( [\w.-]+)?$/,
  /^(lvs|vgs|pvs|lsblk|swapon (-s|--show)|losetup( -l| -a| --list)?|mount( -l)?|zfs list|zpool (list|status)|btrfs (filesystem|subvolume) (show|list))$/,
  /^mkfs(\.ext[234])? (-n|-N) [^ ]+$|^mkfs\.ext[234]( -[bimLI] [^ ]+)* -n [^ ]+$/,
  // The network.
  /^(iptables|ip6tables)( -t \w+)?( -n| -v)* (-L|-S|--list|--list-rules)( [A-Z]+)?( -n| -v| --line-numbers)*$/,
  /^ufw status( verbose| numbered)?$/,
  /^nft (-a )?list (ruleset|tables|chains|sets|table( \w+){2}|chain( \w+){3})$/,
  /^ip( -[46brsojd]+| -(color|brief|json|details))* (a|addr|address|l|link|r|ro|route|rule|n|neigh|neighbour)( (s|sh|show|l|ls|list)( dev)?( [\w.@:-]+)?)?$/,
  /^(ifconfig|route|resolvectl|nmcli)( -a| -n)?$|^route show$|^ifconfig [\w.:-]+$/,
  /^nmcli (device|dev|d|connection|con|c|general|g)( status| show)?$/,
  /^firewall-cmd --(state|list-[a-z-]+|get-[a-z-]+)$/,
  // Jobs and services.
  /^crontab -l$/,
  /^atq$|^at -l$/,
  /^systemctl (status|show|cat|is-active|is-enabled|list-units|list-unit-files|list-timers)( [\w@.:-]+)*$/,
  // Git.
  /^git (stash (list|show)( -[pu]| --(stat|patch|name-only))*( stash@\{\d+\})?|submodule status|worktree list|bisect log|tag( -l| --list)?|remote( -v)?|reflog( show)?)$/,
  /^git config (--get|--list|-l|get|list)( [\w.-]+)?$|^git config [\w-]+\.[\w.-]+$/,
  // Infrastructure.
  /^(terraform|tofu) (state (list|show)|workspace (list|show))( [\w.[\]"-]+)*$/,
  /^(kubectl|k|oc) rollout (status|history)( [\w./-]+)*$|^(kubectl|k|oc) (rollout|set)$/,
  /^(kubectl|k|oc) [^|]*(^| )--dry-run=(client|server)( |$)/,
  /^helm( [\w./=-]+)* --dry-run(=\w+)?$/,
  /^aws [^|]* --(dryrun|dry-run)( |$)/,
  /^rsync( -[a-zA-Z]+| --[a-z-]+)* (-n|--dry-run)( |$)/,
  /^git (clean|push|add|rm|fetch)( -[a-zA-Z]+| --[a-z-]+)* (-n|--dry-run)( [\w./:-]+)*$/,
];
