import { ipcRenderer } from 'electron';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';
import { LEFT_OUT, limitConsole } from './consoleLimit.ts';
import { channels } from './electronChannels.ts';
import { offerJoins } from './joins.ts';
import { reportKeepAwake, watchKeepAwake } from './keepAwake.ts';
import { installKeyGuard } from './keyGuard.ts';
import { inMainWorld, unknownName } from './mainWorld.ts';
import { installBridge, type PageTransport } from './pageBridge.ts';
import { watchSettingsCall } from './settingsCall.ts';
import { offerSipVideo } from './sipVideo.ts';
import { offerStreams } from './streamBridge.ts';
import { offerSizes } from './streamSize.ts';
import { offerTalk } from './streamTalk.ts';
import { installWindowGuard } from './windowGuard.ts';
import { hearWindowGuard, watchMissingScripts } from './windowReports.ts';

// Runs in the sandbox, in every frame, before the page's first script. Only the main frame asks for the bridge; the main
// process decides who gets it, from the frame that asks and the current policy.
inMainWorld({ func: installKeyGuard, args: [null] });
// In this world, which no script of the page can reach. The main process handles the keys.
watchSettingsCall(null, (what) => typeof what === 'number' && ipcRenderer.send(channels.fingers, what));
// No script of the page can know the type of an event of the guards beforehand.
const [refused, awake] = [unknownName(), unknownName()];
inMainWorld({ func: installWindowGuard, args: [null, refused] });
hearWindowGuard(
  null,
  refused,
  (refusal) => ipcRenderer.send(channels.refused, refusal),
  (question) => ipcRenderer.sendSync(channels.question, question) as string | null,
);
inMainWorld({ func: limitConsole, args: [null, LEFT_OUT] });
inMainWorld({ func: reportKeepAwake, args: [null, awake] });
watchKeepAwake(null, awake, () => ipcRenderer.send(channels.keepAwake));
// `top` is one of the few properties that no page can change (HTML standard, LegacyUnforgeable).
const { top } = globalThis as unknown as { top: unknown };
const isTop = top === globalThis;
if (isTop) watchMissingScripts(null, (url) => ipcRenderer.send(channels.missingScript, url));
const spec = isTop ? (ipcRenderer.sendSync(channels.spec) as ContainerSpec | null) : null;
if (spec !== null) {
  const transport: PageTransport = {
    post: (json) => ipcRenderer.send(channels.bridge, json),
    listen: (receive) => ipcRenderer.on(channels.bridge, (_event, json: string) => receive(json)),
  };
  inMainWorld({ func: offerTalk, args: [null] });
  inMainWorld({ func: offerSizes, args: [null] });
  inMainWorld({ func: offerStreams, args: [null] });
  inMainWorld({ func: offerSipVideo, args: [null] });
  if (spec.joins) inMainWorld({ func: offerJoins, args: [null] });
  // In the page's own world, so that pages get the same object as in Chromium, with real errors and functions.
  inMainWorld({ func: installBridge, args: [null, transport, spec] });
}
