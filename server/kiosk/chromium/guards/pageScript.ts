import { randomBytes } from 'node:crypto';
import { LEFT_OUT, limitConsole } from '../../../../preload/consoleLimit.ts';
import { offerJoins } from '../../../../preload/joins.ts';
import { reportKeepAwake } from '../../../../preload/keepAwake.ts';
import { installKeyGuard } from '../../../../preload/keyGuard.ts';
import { installBridge } from '../../../../preload/pageBridge.ts';
import { offerSipVideo } from '../../../../preload/sipVideo.ts';
import { offerStreams } from '../../../../preload/streamBridge.ts';
import { offerSizes } from '../../../../preload/streamSize.ts';
import { offerTalk } from '../../../../preload/streamTalk.ts';
import { installWindowGuard } from '../../../../preload/windowGuard.ts';
import type { ContainerSpec } from '../../../contract/pageBridge.ts';

/** Names of the two functions between page and host. */
export interface BridgeNames {
  /** Page to host: a binding of Runtime.addBinding, taken off every global before the page's first script. */
  readonly binding: string;
  /** Host to page. A page that calls it deceives only itself. */
  readonly deliver: string;
}

/** Prefix of the event types by which the window guard reports a refusal; no page can know it beforehand. */
export const REFUSED = `_${randomBytes(12).toString('hex')}`;

/** The same for what keeps the panel awake. */
export const AWAKE = `_${randomBytes(12).toString('hex')}`;

/** New for every start of the browser, so that no page can know them beforehand. */
export function randomNames(): BridgeNames {
  const random = () => `_${randomBytes(12).toString('hex')}`;
  return { binding: random(), deliver: random() };
}

/** The origins whose top pages get the bridge, and those that get the joins of their project with it. */
interface ScriptOrigins {
  readonly bridge: readonly string[];
  readonly joins: readonly string[];
}

/**
 * The script that runs in every frame of the kiosk page before any other: the key guard everywhere, the bridge only in
 * a top frame of an allowed origin.
 */
export function pageScript(names: BridgeNames, origins: ScriptOrigins, spec: ContainerSpec): string {
  const [binding, deliver] = [JSON.stringify(names.binding), JSON.stringify(names.deliver)];
  return `${frameScript()}(() => {
  const binding = globalThis[${binding}];
  delete globalThis[${binding}];
  if (!binding || window !== window.top || !${JSON.stringify(origins.bridge)}.includes(location.origin)) return;
  let receive = () => {};
  Object.defineProperty(window, ${deliver}, { value: (json) => receive(json) });
  const joins = ${JSON.stringify(origins.joins)}.includes(location.origin);
  const transport = { post: (json) => binding(json), listen: (callback) => { receive = callback; } };
  (${offerTalk.toString()})(null);
  (${offerSizes.toString()})(null);
  (${offerStreams.toString()})(null);
  (${offerSipVideo.toString()})(null);
  ${origins.joins.length === 0 ? '' : `if (joins) (${offerJoins.toString()})(null);`}
  (${installBridge.toString()})(null, transport, { ...${JSON.stringify(spec)}, joins });
})();`;
}

/** As pageScript, for a built-in page: its top frame gets `window.faceplateHost` (contract/builtInPage.ts). */
export function ownPageScript(names: BridgeNames, origin: string): string {
  const [binding, deliver] = [JSON.stringify(names.binding), JSON.stringify(names.deliver)];
  return `${keyGuard()}(() => {
  const binding = globalThis[${binding}];
  delete globalThis[${binding}];
  if (!binding || window !== window.top || location.origin !== ${JSON.stringify(origin)}) return;
  let receive = () => {};
  Object.defineProperty(window, ${deliver}, { value: (json) => receive(json) });
  const channel = { post: (json) => binding(json), listen: (callback) => { receive = callback; } };
  Object.defineProperty(window, 'faceplateHost', { value: Object.freeze(channel) });
})();`;
}

/** The script of frames that have their own process, where there is no binding. */
export function frameScript(): string {
  return `${keyGuard()}(${installWindowGuard.toString()})(null, ${JSON.stringify(REFUSED)});
(${reportKeepAwake.toString()})(null, ${JSON.stringify(AWAKE)});
(${limitConsole.toString()})(null, ${JSON.stringify(LEFT_OUT)});\n`;
}

function keyGuard(): string {
  return `(${installKeyGuard.toString()})(null);\n`;
}
