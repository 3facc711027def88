import { onlyLooks } from "../judging/only-looks.ts";
import { optionTable, readOptions } from "../syntax/options.ts";
import { type Argument, fixedArgument, quoteAll } from "../syntax/word.ts";

/**
 * Programs that change no file but those that their line names, and start no others, whatever they are told: they say
 * something of the machine, or change a process, a device or a connection.
 */
const named: ReadonlySet<string> = new Set(
  (
    "kill pkill pgrep killall pidof pstree vmstat iostat mpstat w who last users lsof ss netstat ping traceroute dig nslookup " +
    "host whois arp ifconfig route init lsblk lscpu lspci lsusb lsmod locale getconf getent tty cal yes printenv factor " +
    "numfmt lsb_release sw_vers logname hostid mountpoint findmnt mktemp dd times help"
  ).split(" "),
);

/** Clients of services, and the forms of them that touch no file which the line does not name. */
const clients: Readonly<Record<string, RegExp>> = {
  aws: /^(s3 ls|[a-z0-9-]+ (list|describe|get|batch-get)-[a-z0-9-]+)( |$)|^s3 rm [\w:/. -]*--dryrun$/,
  az: /^(account|group|vm|aks|acr|disk|webapp|functionapp|cosmosdb|keyvault|redis|resource|storage account|sql (server|db)|network vnet|ad (app|sp|user|group)) (list|show)( |$)/,
  gcloud:
    /^(projects|services|functions|secrets|compute (instances|disks|networks|zones|regions|images|snapshots)|container (clusters|images)|iam (service-accounts|roles)|sql (instances|databases|users)|run (services|jobs|revisions)|pubsub (topics|subscriptions)) (list|describe)( |$)/,
  gsutil: /^(ls|du|stat|cat|version)( |$)/,
  kubectl:
    /^(get|describe|top|explain|api-resources|api-versions|version|logs|uncordon|apply|replace|label|annotate|scale)( |$)(?!.*--profile)|^delete [\w/ -]*--dry-run=(client|server)$|^config (view|get-contexts|current-context)$|^rollout( (status|history)( [\w/-]+)*)?$|^set$/,
  helm: /^(list|ls|history|status|get|search|version|show)( |$)|^(upgrade|install) [\w-]+ [\w/-]+$/,
  fly: /^((apps|secrets|volumes|postgres|machines?|releases|regions|orgs|ips|certs) (list|ls|show)|volumes create|secrets set|apps create [\w-]+$)( |$)/,
  vercel: /^((env|project|domains|alias|teams|dns|certs) )?(list|ls)$/,
  psql: /^(-[hpUd] [\w.-]+ |-[AtqX]+ )*-c (select|show|table|explain)( [^-]*)?$/i,
  mysql: /^(-[uhPD] ?[\w.-]+ |-[NBs]+ )*-e (select|show|describe|explain)( [^-]*)?$/i,
  "redis-cli":
    /^(-[hpn] [\w.-]+ )*(get|set|ping|info|exists|ttl|type|keys|scan|dbsize|mget|hget|hgetall|llen|lrange|smembers)( [^-]*)?$/i,
  systemctl: /^(start|restart|reload|enable|status|is-active|is-enabled|daemon-reload)( [\w@.:-]+)*$/,
  ip: /^(a|addr|address|l|link|r|ro|route|rule|n|neigh|neighbour)( |$)/,
  "ssh-add": /^-[lL]$/,
};

/** Clients that ask git in their folder which repository it is. */
const gitClients: Readonly<Record<string, RegExp>> = {
  gh: /^(repo|issue|pr|release|run|workflow|gist|label|variable|secret) (list|view|status)(?!.* (-[a-zA-Z]*w|--web))( |$)|^(repo (create|archive|unarchive) [\w./-]+$|release create [\w.-]+$|repo edit |variable set )/,
  heroku: /^(apps|config|ps|releases|addons|domains)(:(list|info|get))?( |$)/,
};
const aliases: Readonly<Record<string, string>> = {
  k: "kubectl",
  oc: "kubectl",
  flyctl: "fly",
  vc: "vercel",
  now: "vercel",
};

const curlOptions = optionTable(
  "sSfLkvIiGN46g",
  "silent show-error fail fail-with-body location insecure verbose head include get no-buffer compressed ipv4 ipv6 http1.1 http2",
  "o X H d A e m output request header data data-raw data-urlencode json user-agent referer max-time connect-timeout retry url max-redirs",
);
const wgetOptions = optionTable(
  "qSv",
  "quiet no-verbose verbose server-response spider no-check-certificate",
  "O T t output-document timeout tries header user-agent",
);

/** `git`: nothing, where it may ask git. */
export type Knowledge = "all" | "git" | undefined;

/** Whether a program with these arguments is known to touch no file but those that its line names, and to start nothing. */
export function knownToTouch(name: string, args: readonly Argument[]): Knowledge {
  if (named.has(name)) return "all";
  if (
    !Object.hasOwn(clients, aliases[name] ?? name) &&
    onlyLooks.some((pattern) => pattern.test(quoteAll([fixedArgument(name), ...args])))
  )
    return "all";
  if (name === "curl") return readOptions(args, curlOptions, { stopAtOperand: false }) && "all";
  if (name === "wget") return toldWhere(args) ? "all" : undefined;
  const client = aliases[name] ?? name;
  const line = args.map(({ text }) => text).join(" ");
  if (Object.hasOwn(clients, client) && (clients[client] as RegExp).test(line)) return "all";
  return Object.hasOwn(gitClients, client) && (gitClients[client] as RegExp).test(line) ? "git" : undefined;
}

/** Whether the line says where the result is put; by itself the program takes a name from the address. */
function toldWhere(args: readonly Argument[]): boolean {
  const given = readOptions(args, wgetOptions, { stopAtOperand: false })?.given;
  return ["O", "output-document", "spider"].some((name) => given?.has(name) === true);
}
