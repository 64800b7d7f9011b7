// Loaded by Electron before the service, in tests only. `npm run test:electron` runs it, in Electron's main process.
const { app, webContents } = require('electron');

// The service refuses this switch on its command line, and hears of no loader on it.
app.commandLine.appendSwitch('remote-debugging-port', '0');
process.argv.splice(1, 2);

// Keys of the DevTools protocol go past `before-input-event`: a test sends the address of the page that gets these.
process.on('message', ({ url, keyCode, modifiers }) => {
  const page = webContents.getAllWebContents().find((contents) => contents.getURL() === url);
  for (const type of ['keyDown', 'keyUp']) page?.sendInputEvent({ type, keyCode, modifiers });
});
