/** All steps but the first: they load while the browser's program starts. */
export { parts } from '../parts/index.ts';
export { createCore } from './core.ts';
export { assertDesk, createReplay } from './replay.ts';
export { openSurfaces } from './surfaces.ts';
export { whereToGo } from './terminal.ts';
export { createWindow } from './window.ts';
