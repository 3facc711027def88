import { CliError } from "../errors.ts";

/** Whatever ends a line, or can't be written in XML. */
const controlCharacter = /\p{Cc}/u;

/** The managers of services that `haft serve --print-service` writes for. */
export const serviceManagers = ["systemd", "launchd"] as const;
export type ServiceManager = (typeof serviceManagers)[number];

export interface Service {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly folder: string;
}

/**
 * A service definition that starts `haft serve` with the user's session, with what to do with it in a comment.
 *
 * @throws {CliError} CLI_USAGE for a word that would end its line, or go on with the next one
 */
export function renderService(manager: ServiceManager, service: Service): string {
  const { command, folder } = service;
  const broken = [...command, folder].find((word) => controlCharacter.test(word));
  if (broken !== undefined || (manager === "systemd" && /\\$|^\s|\s$/.test(folder))) {
    throw new CliError(
      "CLI_USAGE",
      `Cannot write a service for ${JSON.stringify(broken ?? folder)}: its lines can't hold that name; rename it, or name another folder with --folder`,
    );
  }
  return manager === "systemd" ? systemdUnit(service) : launchAgent(service);
}

function systemdUnit({ command, folder }: Service): string {
  return `# Write this to ~/.config/systemd/user/haft.service, then:
#   systemctl --user daemon-reload && systemctl --user enable --now haft
#   journalctl --user -u haft    shows what it says
[Unit]
Description=haft, the tools of an agent for MCP clients

[Service]
ExecStart=${command.map(systemdWord).join(" ")}
WorkingDirectory=${folder.replaceAll("%", "%%")}
Restart=on-failure

[Install]
WantedBy=default.target
`;
}

/** One word of ExecStart, whatever is in it. */
function systemdWord(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w./:=@%+,-]+$/.test(escaped) ? escaped : `"${escaped.replaceAll('"', '\\"')}"`;
}

function launchAgent({ command, folder }: Service): string {
  const strings = command.map((word) => `    <string>${toXml(word)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Write this to ~/Library/LaunchAgents/haft.serve.plist, then:
     launchctl bootstrap gui/$UID ~/Library/LaunchAgents/haft.serve.plist -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>haft.serve</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key>
  <string>${toXml(folder)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`;
}

function toXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
