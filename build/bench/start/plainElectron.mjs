// Electron with a page over the whole screen and nothing else, for comparison: plainElectron.mjs <folder> <address>.
import { app, BrowserWindow } from 'electron';

const [folder, address] = process.argv.slice(-2);
app.setPath('userData', folder);
app.enableSandbox();
// Not awaited: Electron is ready only once this module has been evaluated.
app.whenReady().then(() => {
  const window = new BrowserWindow({ kiosk: true, autoHideMenuBar: true });
  return window.loadURL(address);
});
