import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ServerDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { OwnerPin, useOwnerAct } from "../../parts/use-owner-act.tsx";
import { say } from "../../shell/live-region.tsx";
import { Text } from "../../text/text.tsx";
import { isLoginWanted } from "./server-state.tsx";

/** The login at a server: whether there is one, one that is under way, and how to begin or end it. */
export function Login({
  detail,
  reload,
}: {
  readonly detail: ServerDetail;
  readonly reload: () => void;
}): VNode {
  const { state, login, loginState } = detail;
  const act = useOwnerAct();
  const before = useRef(loginState?.state);
  useEffect(() => {
    if (before.current === "waiting" && loginState?.state === "done") say(`Logged in to ${state.server}`);
    before.current = loginState?.state;
  }, [loginState?.state]);
  const begin = (device: boolean) =>
    act.run(async () => {
      const begun = await ask("POST /server/login", { body: { name: state.server, device, ...act.owner } });
      reload();
      return begun.state === "failed"
        ? "The login failed."
        : begun.state === "done"
          ? "You are logged in."
          : "";
    });
  return (
    <Section title="Login">
      {login === undefined ? (
        <p class={isLoginWanted(state) ? "warning" : "dim"}>
          {isLoginWanted(state)
            ? "It lets nobody in without a login."
            : "Nobody has logged in; it may not need it."}
        </p>
      ) : (
        <p>
          Logged in at <Text value={login.issuer} />
          {login.scope !== undefined && (
            <>
              {" "}
              for <Text value={login.scope} />
            </>
          )}
          .{" "}
          {login.expiresAt !== undefined && (
            <span class="dim">
              Good until <Time at={login.expiresAt} />
              {login.renews && ", renewed by itself"}.
            </span>
          )}
        </p>
      )}
      {loginState?.state === "waiting" && <OpenAddress url={loginState.url} code={loginState.code} />}
      {loginState?.state === "failed" && (
        <p class="warning">
          The last login failed: <Text value={loginState.error} />
        </p>
      )}
      {loginState?.state === "done" && login !== undefined && <p class="done">The login is done.</p>}
      <div class="actions">
        <GuardedButton disabled={act.busy} act={() => begin(false)}>
          {login === undefined ? "Log in" : "Log in anew"}
        </GuardedButton>
        <GuardedButton disabled={act.busy} act={() => begin(true)}>
          Log in on another device
        </GuardedButton>
        {login !== undefined && (
          <GuardedButton
            disabled={act.busy}
            act={() =>
              act.run(async () => {
                const { loggedOut, revoked } = await ask("POST /server/logout", {
                  body: { name: state.server, ...act.owner },
                });
                reload();
                if (!loggedOut) return "There was no login.";
                return revoked
                  ? "Logged out; its tokens are void."
                  : "Logged out here; the server was not told.";
              })
            }
          >
            Log out
          </GuardedButton>
        )}
        <OwnerPin act={act} />
      </div>
      {act.done !== "" && <Outcome act={act} />}
    </Section>
  );
}

/** The address in full, opened by a click alone. */
function OpenAddress({ url, code }: { readonly url: string; readonly code: string | undefined }): VNode {
  const parsed = URL.parse(url);
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  return (
    <div class="login-open">
      <p>
        Open this address at <strong>{isWeb && <Text value={parsed.host} oneLine />}</strong> and let haft in
        there:
      </p>
      <code class="login-url">
        <Text value={url} />
      </code>
      {code !== undefined && (
        <p>
          and type the code{" "}
          <strong class="login-code">
            <Text value={code} oneLine />
          </strong>
        </p>
      )}
      <div class="actions">
        {isWeb ? (
          <a class="button" href={parsed.href} target="_blank" rel="noopener noreferrer">
            Open it
          </a>
        ) : (
          <span class="warning">It is no address of the web, and is not opened.</span>
        )}
        <CopyButton text={url} label="the address" />
        <span class="dim" role="status">
          Waiting for the login…
        </span>
      </div>
    </div>
  );
}
