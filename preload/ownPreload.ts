import { contextBridge, ipcRenderer } from 'electron';
import { channels } from './electronChannels.ts';
import { installKeyGuard } from './keyGuard.ts';

// For pages of Faceplate's own. Main frame only; the main process hears this window alone, and its own origin alone.
contextBridge.executeInMainWorld({ func: installKeyGuard, args: [null] });
contextBridge.exposeInMainWorld('faceplateHost', {
  post: (json: string) => ipcRenderer.send(channels.own, json),
  listen: (receive: (json: string) => void) =>
    ipcRenderer.on(channels.own, (_event, json: string) => receive(json)),
});
