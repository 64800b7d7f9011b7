import { contextBridge, ipcRenderer } from 'electron';
import { channels } from './electronChannels.ts';
import { installKeyGuard } from './keyGuard.ts';
import { inMainWorld } from './mainWorld.ts';

// For built-in pages. Main frame only; the main process takes messages from this window and its own origin only.
inMainWorld({ func: installKeyGuard, args: [null] });
contextBridge.exposeInMainWorld('faceplateHost', {
  post: (json: string) => ipcRenderer.send(channels.own, json),
  listen: (receive: (json: string) => void) =>
    ipcRenderer.on(channels.own, (_event, json: string) => receive(json)),
});
