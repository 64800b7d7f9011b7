// What a bundle of the service starts: as main.ts, but the service is one script, which runs with the code that V8 compiled
// at an earlier start (build/bundle/nodeModule.ts).
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AFTER_START_MS, runCompiled } from './platform/files/compiledCode.ts';
import { browserAhead } from './start/browserAhead.ts';

const given = process.argv.slice(2);
const folder = module.getCompileCacheDir();
const ahead = await browserAhead(given, process.env);
const file = join(dirname(import.meta.filename), 'service.cjs');
const require = createRequire(file);
// Node finds the lines of the sources only for what it has loaded itself.
const { exports, keep } = process.sourceMapsEnabled
  ? { exports: require(file) as typeof import('./service.ts'), keep: () => {} }
  : runCompiled<typeof import('./service.ts')>({ file, name: 'service', folder, require });
// A start that failed has not compiled what others need.
if (await exports.runService(given, ahead)) {
  setTimeout(keep, AFTER_START_MS).unref();
  process.once('exit', keep);
}
