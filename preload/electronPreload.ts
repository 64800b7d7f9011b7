import { contextBridge, ipcRenderer } from 'electron';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';
import { channels } from './electronChannels.ts';
import { installKeyGuard } from './keyGuard.ts';
import { installBridge, type PageTransport } from './pageBridge.ts';
import { watchSettingsCall } from './settingsCall.ts';
import { offerSipVideo } from './sipVideo.ts';
import { offerStreams } from './streamBridge.ts';

// Runs in the sandbox, in the main frame only, before the page's first script. Who gets the bridge is decided in the
// main process, from the frame that asks and the policy of now.
contextBridge.executeInMainWorld({ func: installKeyGuard, args: [null] });
// In this world, which no script of the page reaches. The keys are heard in the main process.
watchSettingsCall(null, (what) => typeof what === 'number' && ipcRenderer.send(channels.fingers, what));
const spec = ipcRenderer.sendSync(channels.spec) as ContainerSpec | null;
if (spec !== null) {
  const transport: PageTransport = {
    post: (json) => ipcRenderer.send(channels.bridge, json),
    listen: (receive) => ipcRenderer.on(channels.bridge, (_event, json: string) => receive(json)),
  };
  contextBridge.executeInMainWorld({ func: offerStreams, args: [null] });
  contextBridge.executeInMainWorld({ func: offerSipVideo, args: [null] });
  // In the page's own world, so that pages meet the same object, with real errors and functions, as in Chromium.
  contextBridge.executeInMainWorld({ func: installBridge, args: [null, transport, spec] });
}
