// What a bundle of the service starts: as main.ts, but the service is one script, which runs with the code that V8 compiled
// at an earlier start (build/bundle/nodeModule.ts). This file becomes a CommonJS module.
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { browserAhead } from './start/browserAhead.ts';

/** Resolves when the service has started or cannot. Never rejects where the bundle is whole. */
export const started = start();

async function start(): Promise<void> {
  const given = process.argv.slice(2);
  const folder = module.getCompileCacheDir();
  const ahead = await browserAhead(given, process.env);
  // Not earlier: the browser's program starts meanwhile.
  const { AFTER_START_MS, runCompiled } = await import('./platform/files/compiledCode.ts');
  const file = join(__dirname, 'service.cjs');
  const require = createRequire(file);
  // Node finds the lines of the sources only for what it has loaded itself.
  const { exports, keep } = process.sourceMapsEnabled
    ? { exports: require(file) as typeof import('./service.ts'), keep: () => {} }
    : runCompiled<typeof import('./service.ts')>({ file, name: 'service', folder, require });
  // A start that failed has not compiled what others need.
  if (!(await exports.runService(given, ahead))) return;
  setTimeout(keep, AFTER_START_MS).unref();
  process.once('exit', keep);
}
