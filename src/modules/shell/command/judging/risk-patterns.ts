export type RiskLevel = "low" | "medium" | "high";

export interface RiskPattern {
  readonly level: RiskLevel;
  readonly reason: string;
  /** Held against the text of one part. */
  readonly pattern: RegExp;
  /** Shown, and by itself no reason to ask where a sandbox bounds it: that has no network and processes of its own. */
  readonly contained?: true;
}

function risk(level: RiskLevel, reason: string, ...patterns: readonly RegExp[]): RiskPattern[] {
  return patterns.map((pattern) => ({ level, reason, pattern }));
}

function contained(reason: string, ...patterns: readonly RegExp[]): RiskPattern[] {
  return risk("medium", reason, ...patterns).map((one) => ({ ...one, contained: true }));
}

/** What is known to do harm. None repeats a repetition, so each takes time in proportion to the text. */
export const riskPatterns: readonly RiskPattern[] = [
  ...risk(
    "high",
    "deletes folders with all in them",
    /^rm\b.* (-[a-zA-Z]*[rR]|--recursive)/,
    /^find\b.* (-delete|-exec(dir)? (\S*\/)?(rm|shred|unlink)\b)/,
    /^(fd|fdfind)(?=\s|$).* (-x|-X|--exec) rm\b/,
    /^rsync\b.* --(delete|remove-source)/,
    /\b(rmtree|rmSync|rmdirSync|remove_tree|rm_rf|unlinkSync|deltree)\b/,
  ),
  ...risk(
    "medium",
    "deletes files",
    /^(rm|rmdir|unlink|shred|srm|wipe|trash)(?=\s)/,
    /^mv\b.* \/dev\/null\b/,
    /\brm -/,
  ),
  ...risk(
    "medium",
    "empties or replaces files",
    /^truncate\b/,
    /^(cp|install|dd)(?=\s|$).*\/dev\/null\b/,
    /^tee\b/,
    /^sort\b.* (-o|--output)/,
  ),
  ...risk(
    "high",
    "writes to disks or file systems",
    /^(mkfs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|partprobe|wipefs|blockdev|hdparm|mkswap|lvremove|pvremove|vgremove|lvreduce|vgreduce|cryptsetup|mdadm|badblocks|swapoff|swapon|resize2fs|tune2fs|e2fsck|fsck|xfs_[a-z]+|btrfs|zfs|zpool|diskutil|format|debugfs)\b/,
    /^dd\b.* of=\/dev\//,
    /^(lvextend|lvcreate|pvcreate|vgcreate|lvresize|lvconvert|lvchange|vgchange|pvmove|pvchange|vgrename|lvrename|vgextend|pvresize)(?=\s|$)/,
    /^(dump|restore|dumpe2fs|xfsdump|partclone[.a-z0-9]*|partimage|fsarchiver|ntfsclone)(?=\s|$)/,
    />+ ?\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper)/,
  ),
  // What it writes to must be named: what is there is asked for because it is.
  ...contained("writes over a file", /^dd\b(?!.* of=\/dev\/)/),
  ...risk("medium", "mounts or unmounts", /^u?mount\b/, /^losetup\b/),
  ...risk(
    "high",
    "changes rights or owners of many files",
    /^(chmod|chown|chgrp|setfacl)(?=\s|$).* (-[a-zA-Z]*R|--recursive)/,
    /^chmod\b.* (0?777|a\+rwx|[ugoa]*\+s)\b/,
  ),
  ...risk(
    "medium",
    "changes rights or owners",
    /^(chmod|chown|chgrp|chattr|setfacl|setcap|usermod|useradd|userdel|groupdel|groupadd|passwd|chpasswd|visudo)(?=\s|$)/,
  ),
  ...risk("medium", "runs with the rights of another user", /^(sudo|doas|su|pkexec|runuser)(?=\s|$)/),
  ...risk(
    "high",
    "rewrites or throws away history of git",
    /^git\b.*\bpush\b.* (-[a-zA-Z]*[fd]|--force\S*|--delete|--mirror|--prune|\+\S+|:\S+)( |$)/,
    /^git\b.*\bpush\b.* \+/,
    /^git\b.*\breset\b/,
    /^git\b.*\bclean\b/,
    /^git\b.*\b(filter-branch|filter-repo|replace)\b/,
    /^git\b.*\bsend-pack\b/,
    /^git\b.*\breflog (expire|delete)\b/,
    /^git\b.*\bgc\b.* --(prune|aggressive)/,
    /^git\b.*\bupdate-ref\b.* (-d|--delete)\b/,
    /^git\b.*\bbranch\b.* (-[a-zA-Z]*[DM]|--delete --force|--force)/,
    /^git\b.*\bstash (drop|clear)\b/,
    /^git\b.*\bcheckout\b.* (-f|--force|--|\.\/?)( |$)/,
    /^git\b(?! restore (-S|--staged)( (-q|--quiet|--|(?!\.\/?( |$))[^- ]\S*))+$).*\brestore\b/,
    /^git\b.*\bswitch\b.* (-f|--force|--discard-changes)\b/,
    /^git\b.*\bcommit\b.* --amend\b/,
  ),
  ...risk(
    "medium",
    "changes history or branches of git",
    /^git\b.*\b(rebase|bisect|cherry-pick|merge|revert|am|worktree|submodule|subtree|rm|stash|prune)(?=\s|$)/,
    /^git\b.*\btag\b.* (-[a-zA-Z]*[adfsmuF]|--(annotate|delete|force|sign|message|file))/,
    /^git\b.*\bbranch\b.* (-d|--delete)\b/,
    /^git\b.*\bcommit\b.* (-[a-zA-Z]*a[a-zA-Z]*|--all|--no-verify)\b/,
    /^git\b.*\bconfig\b/,
    /^git\b.*\b(gc|remote (remove|rm|set-url|prune)|push)\b/,
    /^git\b.*\bcheckout\b(?! -b [^ ]+$)/,
  ),
  ...contained("puts every changed and new file into git", /^git( \S+)* add\b.* (-[a-zA-Z]*A|--all|\.)( |$)/),
  ...risk("medium", "puts ignored files into git", /^git( \S+)* add\b.* (-[a-zA-Z]*f[a-zA-Z]*|--force)( |$)/),
  ...risk(
    "high",
    "opens a way in or sends data out",
    /^(nc|ncat|netcat|socat|telnet)(?=\s|$)/,
    /\/dev\/(tcp|udp)\//,
    /^(curl|wget)(?=\s|$).* (-d|-F|-T|--data\S*|--form|--upload-file|--post-file|--post-data)\b/,
    /^(curl|wget)(?=\s|$).* (-X ?|--request[= ]|--method[= ])(POST|PUT|PATCH|DELETE)\b/i,
  ),
  ...contained("connects to other machines", /^(curl|wget|ssh|scp|sftp|ftp|rsync|aria2c|http|https)(?=\s|$)/),
  ...risk(
    "high",
    "touches credentials",
    /(^|[\s/'"])\.(ssh|aws|gnupg|kube|docker|azure|netrc|npmrc|pypirc|pgpass|git-credentials)\b/,
    /(^|[\s/'"])\.env\b/,
    /\/etc\/(shadow|sudoers|passwd|gshadow)\b/,
    /\bid_(rsa|dsa|ecdsa|ed25519)\b/,
    /^(ssh-add|ssh-keygen)(?=\s|$).* -[A-Za-z]*[dDR]\b/,
    /^gpg\b.* --(delete|export-secret)/,
    /^(security|secret-tool|pass|op|vault|bw)(?=\s|$)/,
  ),
  ...risk(
    "high",
    "stops the machine or its services",
    /^(reboot|shutdown|poweroff|halt|telinit)(?=\s|$)/,
    /^init [06s]\b/i,
    /^systemctl\b.*\b(stop|disable|mask|kill|reboot|poweroff|halt|isolate|rescue|emergency|suspend|hibernate)\b/,
    /^(service|rc-service)(?=\s|$).*\b(stop|restart)\b/,
    /^launchctl\b.*\b(unload|remove|bootout)\b/,
    /^(xinit|loginctl)(?=\s|$)/,
  ),
  ...risk(
    "medium",
    "ends other processes",
    /^(killall|pkill|xkill|skill)(?=\s|$)/,
    /^kill\b.* -(9|KILL|SIGKILL|s|n)\b/,
    /^kill\b.*[ $](-?1|0|-[0-9]*\$|\$)(?=\s|$|\()/,
    /^fuser\b.* -[a-z]*k/,
  ),
  ...contained("ends other processes", /^kill(?=\s|$)/),
  ...risk(
    "high",
    "changes what runs later",
    /^crontab(?=\s|$)/,
    /^(at|batch)(?=\s|$)/,
    /^update-rc\.d\b/,
    /^history\b.* -[a-z]*[cdw]/,
  ),
  ...risk(
    "high",
    "changes the network or the firewall",
    /^(ifdown|ifup|nmcli|networksetup|netplan|brctl|ethtool|tc|resolvconf)(?=\s|$)/,
    /^(ifconfig|ip|route)\b.*\b(down|del|delete|flush|replace|change|netns|xfrm|exec)\b/,
    /^(iptables|ip6tables|iptables-restore|nft|ufw|firewall-cmd|ipset|pfctl)(?=\s|$)/,
    /^sysctl\b.* -w\b/,
  ),
  ...contained("changes the network or the firewall", /^(ifconfig|ip|route)(?=\s|$)/),
  ...risk(
    "high",
    "publishes or withdraws packages",
    /^(npm|pnpm|yarn|bun)(?=\s|$).*\b(publish|unpublish|deprecate|owner|dist-tag|access)\b/,
    /^cargo (publish|yank|owner)\b/,
    /^(twine upload|gem (push|yank|owner)|poetry publish|uv publish|hex publish|mvn deploy|docker push)\b/,
  ),
  ...risk(
    "medium",
    "installs or removes programs",
    /^(apt|apt-get|aptitude|dpkg|yum|dnf|zypper|pacman|apk|brew|snap|flatpak|pip|pip3|gem|cargo|npm|pnpm|yarn|uv|pipx|go)(?=\s|$).*\b(install|remove|uninstall|purge|autoremove|erase|prune|add|rm|cache|-R\w*|-e)\b/,
  ),
  ...risk(
    "high",
    "deletes from a database",
    /\b(drop|truncate)\s+(database|schema|table|index|view|role|user|column|collection|keyspace|function|trigger|type|extension|sequence|tablespace|owned)?\b.*\S/i,
    /\bdelete\s+from\b/i,
    /\bupdate\s+\S+\s+set\b/i,
    /\balter\s+(table|database|role|user|schema)\b/i,
    /\b(grant|revoke)\s+\w+.*\b(on|to|from)\b/i,
    /\b(flushall|flushdb|flushslots|script flush|config set|debug (sleep|segfault)|cluster reset|acl deluser)\b/i,
    /^\s*shutdown\b/i,
    /\b(dropdatabase|drop|deletemany|deleteone|remove|dropindexes|dropindex|dropuser|droprole|shutdownserver|findoneanddelete)\(/i,
    /^(dropdb|dropuser|mysqladmin|redis-cli|mongo\w*|psql|mysql|pg_restore)(?=\s|$).*\b(drop|delete|flush\w*|shutdown|del|unlink|clean|shutdownServer)\b/i,
    /^(dropdb|dropuser)(?=\s|$)/,
  ),
  ...risk(
    "high",
    "deletes containers, images or volumes",
    /^(docker|docker-compose|podman|nerdctl|buildah|crictl)(?=\s|$).*\b(rm|rmi|prune|kill|stop|remove|purge|leave|rollback)\b/,
  ),
  ...risk(
    "medium",
    "takes containers down",
    /^(docker|docker-compose|podman|podman-compose)(?=\s|$).*\bdown\b/,
  ),
  ...risk(
    "high",
    "gives a container the machine",
    /^(docker|podman|nerdctl)(?=\s|$).* (--privileged(?!=false)|--pid=host|--net(work)?=host|--cap-add\S*|-v \/:|--volume[ =]\/:)/,
  ),
  ...risk(
    "high",
    "changes what runs in a cluster",
    /^(kubectl|k|oc)(?=\s|$).*\b(delete|drain|cordon|scale|autoscale|rollout|set|patch|edit|taint|exec|evict)\b/,
    /^(kubectl|k|oc)(?=\s|$).*\b(replace|apply)\b.* --force\b(?!-)/,
    /^(kubectl|k|oc)(?=\s|$).* --force\b(?!-).*\b(replace|apply)\b/,
    /^(helm|helm3|helmfile)(?=\s|$).*\b(uninstall|delete|rollback|destroy)\b/,
    /^(helm|helm3|helmfile)(?=\s|$).* --force\b/,
  ),
  ...contained(
    "changes what runs in a cluster",
    /^(kubectl|k|oc)(?=\s|$).*\b(replace|apply|annotate|label|create|uncordon)\b/,
    /^(helm|helm3|helmfile)(?=\s|$).*\b(upgrade|install)\b/,
  ),
  ...risk(
    "high",
    "changes infrastructure",
    /^(terraform|tofu|terragrunt|pulumi|cdk|serverless|sls|sam|ansible-playbook|ansible|vagrant|packer|nomad|consul)(?=\s|$).*\b(apply|destroy|state|force-unlock|taint|untaint|import|workspace delete|up|remove|deploy|purge)\b/,
  ),
  ...risk(
    "high",
    "deletes or changes resources in a cloud",
    /^(aws|az|gcloud|gsutil|bq|oci|ibmcloud|doctl|linode-cli|hcloud|scw|aliyun)(?=\s|$).*\b(delete\S*|terminate\S*|remove\S*|rb|rm|destroy\S*|purge\S*|deregister\S*|stop\S*|detach\S*|disable\S*|revoke\S*|deactivate\S*)\b/,
    /^(heroku|netlify|vercel|now|fly|flyctl|firebase|railway|render|wrangler|supabase|eas|amplify|surge|ntl|vc)(?=\s|$).*\b(delete|destroy|remove|rm|detach|unset|kill|stop|leave|rename|reset|restart|rotate|update|clone|on|off|disable|prune|rollback|transfer|suspend|scale|revoke|purge)\b/,
    /^gh\b.*\b(delete|archive|rename|remove|transfer|disable|cancel|lock|merge|close|sync --force)\b/,
    /^gh\b.*\bedit\b.* --(visibility|default-branch|template|enable-|delete-|remove-)/,
    /^gh api\b.* (-X|--method)[ =]?(DELETE|PUT|PATCH|POST)/i,
    /^gh\b.*\b(issue|pr|release|gist|project|ruleset) edit\b/,
    /^glab\b.*\b(delete|archive|transfer|remove)\b/,
  ),
  ...risk("high", "starts itself over and over", /^:\(\)/),
  ...risk(
    "high",
    "runs code that is given as text",
    /^(eval|source|\.|exec)(?=\s|$)/,
    /^(\S*\/)?(bash|sh|zsh|dash|ksh|fish|csh|tcsh)( -s| -)?$/,
  ),
];
