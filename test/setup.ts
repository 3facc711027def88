// Every test runs on the Node that the repository brings, whatever the machine has.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24)
  throw new Error(
    `Cannot test on Node ${process.versions.node}: run \`npm test\`, which uses the repository's Node 24`,
  );
