import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { answering } from "../support/questions.ts";
import { UserTools, usualRules } from "../support/user-tools.ts";

/** As the page that defines the format has it. */
const deploy = `---
id: deploy
name: "Deploy to Staging"
description: "Deploys the current branch to the staging environment"
category: "deployment"
parameters:
  - name: branch
    type: string
    description: "Git branch to deploy"
    required: true
  - name: wait
    type: boolean
    description: "Wait for deployment to complete"
    required: false
    default: true
command: "bash scripts/deploy.sh {{branch}}"
timeout: 300
confirm: true
icon: "rocket"
---

# Deploy Tool

This tool handles deployments to staging and production environments.

## Usage

Provide the branch name to deploy. The tool will:
1. Validate the branch exists
2. Run the deployment script
3. Monitor deployment status
4. Report success or failure

## Safety

Always confirm before deploying to production.
`;

const migrate = `---
id: migrate-db
name: "Run Database Migration"
description: "Executes pending database migrations"
category: "database"
parameters:
  - name: direction
    type: "string"
    enum: ["up", "down"]
    description: "Migration direction"
    required: true
  - name: steps
    type: "number"
    description: "Number of migrations to apply"
    required: false
    default: 1
command: "go run scripts/migrate.go --direction {{direction}} --steps {{steps}}"
timeout: 120
confirm: true
environment:
  DATABASE_URL: "\${DB_URL}"
  MIGRATION_DIR: "db/migrations"
---

# Database Migration

Runs pending migrations or rolls back recent ones.
`;

const manifest = `{
  "id": "my-space",
  "name": "My Space",
  "version": "1.0.0",
  "tools": [
    {
      "id": "deploy",
      "name": "Deploy to Staging",
      "description": "Deploy current branch to staging",
      "icon": "rocket",
      "command": "scripts/deploy.sh"
    }
  ]
}`;

test("the seed's tool deploy runs as it is written, once a person has said yes", async () => {
  const approver = answering({ approved: true, by: "ada" }, "ada");
  const tools = new UserTools({ approver });
  tools.write("agent/tools/deploy.md", deploy);
  tools.write("scripts/deploy.sh", 'printf "deploying <%s>" "$@"');
  await tools.markdown.start();
  expect(await tools.call("deploy", { branch: "feature/x y; id" })).toMatchObject({
    success: true,
    text: "deploying <feature/x y; id>",
    result: { exit_code: 0 },
  });
  expect(approver.asked).toMatchObject([
    {
      params: { branch: "feature/x y; id", wait: true },
      effects: [
        { kind: "run", target: "bash scripts/deploy.sh 'feature/x y; id'" },
        { kind: "read", target: tools.folder },
      ],
      offers: [],
    },
  ]);
  expect(tools.registry.get("deploy")).toMatchObject({
    title: "Deploy to Staging",
    category: "deployment",
    origin: "markdown",
    timeoutMs: 300_000,
    confirm: true,
    icons: [{ src: "icon:rocket" }],
    description: expect.stringContaining("Always confirm before deploying to production."),
  });
});

test("the seed's tool migrate-db runs as it is written, with the variable that it names", async () => {
  const tools = new UserTools({
    approver: answering({ approved: true, by: "ada" }, "ada"),
    variables: { DB_URL: "postgres://app:pass-word-9@db/main" },
  });
  // In place of the program that the example starts.
  chmodSync(tools.write("bin/go", '#!/bin/sh\necho "$@ with $MIGRATION_DIR and $DATABASE_URL"\n'), 0o755);
  tools.write("agent/tools/migrate-db.md", migrate);
  await tools.markdown.start();
  const result = await tools.call("migrate-db", { direction: "up" });
  expect(result).toMatchObject({ success: true });
  expect(result.text).toMatch(
    /^run scripts\/migrate\.go --direction up --steps 1 with db\/migrations and postgres:/,
  );
  expect(result.text).not.toContain("pass-word-9");
  expect(await tools.call("migrate-db", { direction: "sideways" })).toMatchObject({
    code: "TOOL_VALIDATION",
  });
});

test("the seed's manifest offers its tool, with the space as its origin", async () => {
  const tools = new UserTools();
  tools.write("space.manifest.json", manifest);
  chmodSync(tools.write("scripts/deploy.sh", "#!/bin/sh\necho deployed\n"), 0o755);
  await tools.manifest.start();
  expect(tools.manifest.problems()).toEqual([]);
  expect(tools.registry.get("deploy")).toMatchObject({ origin: "manifest:my-space", pack: "my-space" });
  expect(await tools.call("deploy")).toMatchObject({ success: true, text: "deployed" });
});

test("a tool with `confirm` is refused where nobody can be asked, whatever rules allow", async () => {
  const tools = new UserTools({ rules: [...usualRules, { decision: "allow" }] });
  tools.write("agent/tools/deploy.md", deploy);
  await tools.markdown.start();
  expect(await tools.call("deploy", { branch: "main" })).toMatchObject({ code: "TOOL_PERMISSION" });
});
