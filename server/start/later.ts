/** The steps that are loaded while the browser's program starts: all but the first. */
export { startPlatform } from './platform.ts';
export { mustBeDesk, startReplay } from './replay.ts';
export { startServices } from './services.ts';
export { openSurfaces } from './surfaces.ts';
export { showKiosk } from './window.ts';
