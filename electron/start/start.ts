// What Electron starts: it runs the program (electron/main.ts), which the bundler has made one script (build/bundle/bundle.ts).
// This file becomes a CommonJS module. Nothing is awaited here: Electron is ready only once it has been evaluated to its end.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { app } from 'electron';
import { AFTER_START_MS, runCompiled } from '../../server/platform/files/compiledCode.ts';

/** The folder that the unit of the package names. The environment can lead a packed program to no other: it would run what is there. */
const OF_PACKAGE = '/var/lib/faceplate/compiled';

const named = process.env.NODE_COMPILE_CACHE || undefined;
const file = join(__dirname, 'program.cjs');
const { keep } = runCompiled({
  file,
  name: 'electron',
  folder: app.isPackaged && named !== OF_PACKAGE ? undefined : named,
  require: createRequire(file),
});
// A start that ended before its first page has not compiled what others need.
let isStarted = false;
app.once('web-contents-created', () => {
  isStarted = true;
});
const keepWhole = () => isStarted && keep();
setTimeout(keepWhole, AFTER_START_MS).unref();
app.on('quit', keepWhole);
