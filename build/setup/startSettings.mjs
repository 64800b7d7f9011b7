// What `npm start` must know of the settings before it knows which program will read them all (server/config/).
// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// For `import`, Node loads all that it exports, which a start waits for.
const { readFileSync } = createRequire(import.meta.url)('node:fs');

/**
 * What shows the page, and whether a screen is wanted: a flag beats the environment, which beats `settings.json`. Mistakes are
 * left to the service, which names them all.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ host: string, headless: string }}
 */
export function startSettings(args, env) {
  const state = env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const dataDir = flag(args, 'dataDir') || env.FACEPLATE_DATA_DIR || join(state, 'faceplate');
  const file = readTree(join(dataDir, 'settings.json'));
  const of = (name, variable, inFile) => String(flag(args, name) ?? (env[variable] || (inFile ?? 'auto')));
  return {
    host: of('host', 'FACEPLATE_HOST', file?.host),
    headless: of('kiosk.headless', 'FACEPLATE_KIOSK_HEADLESS', file?.kiosk?.headless),
  };
}

/** The last value of a flag. A switch needs none. */
function flag(args, name) {
  const at = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  if (args[at].includes('=')) return args[at].slice(name.length + 3);
  const next = args[at + 1];
  return next === undefined || next.startsWith('--') ? 'true' : next;
}

function readTree(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
