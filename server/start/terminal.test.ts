import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLogger, ReadableLog } from '../platform/log.ts';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { placesToGo } from './terminal.ts';

const STARTED = {
  manageUrl: 'http://192.168.1.20:8080/manage/',
  localUrl: 'http://127.0.0.1:8080/manage/',
  tokenFile: '/var/lib/faceplate/token',
  hasScreen: true,
  hasWizard: false,
  columns: 80,
};

/** What a logger writes at a terminal. */
function written(isColoured: boolean, log: (logger: ReturnType<typeof createLogger>) => void): string {
  const all: string[] = [];
  log(createLogger('debug', new ReadableLog({ write: (text) => all.push(text) }, isColoured)));
  return all.join('');
}

describe('the log at a terminal', () => {
  test('should have a line for people with the values behind it', () => {
    const line = written(false, (log) =>
      log.info({ port: 8080, page: 'the demo', isOn: true }, 'http: listening'),
    );
    assert.match(line, /^\d\d:\d\d:\d\d info {2}http: listening {2}port=8080 page="the demo" isOn=true\n$/);
    const coloured = written(true, (log) => log.warn('kiosk: gone'));
    assert.match(stripVTControlCharacters(coloured), /^\d\d:\d\d:\d\d warn {2}kiosk: gone\n$/);
    assert.notEqual(stripVTControlCharacters(coloured), coloured);
  });

  test('should have the place of a failure below it', () => {
    const text = written(false, (log) => log.error({ err: new Error('no disk') }, 'files: could not write'));
    assert.match(text, /files: could not write\n {9}Error: no disk\n {9} {4}at /);
  });

  test('security: should show what a stranger wrote, and not obey it', () => {
    const evil = 'x\u001b[2J\u009b31m\u202Ey\r\nfake line';
    const text = written(false, (log) =>
      log.info({ evil, [evil]: [evil], err: new Error(evil) }, 'page: said'),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f\u202e]/);
    assert.match(text, /\\u009b31m/);
  });
});

describe('where to go from here', () => {
  test('should be the address, the settings and the first set-up, with a QR code of the address alone', () => {
    const text = stripVTControlCharacters(placesToGo(STARTED));
    assert.match(text, /Manage it +http:\/\/192\.168\.1\.20:8080\/manage\/\n/);
    assert.match(text, /token in \/var\/lib\/faceplate\/token\n/);
    assert.match(text, /Settings +Ctrl\+Alt\+S/);
    assert.match(text, /--wizard/);
    const code = text.split('\n').filter((line) => /[▀▄█]/.test(line));
    assert.ok(code.length >= 14, text);
    assert.equal(new Set(code.map((line) => line.length)).size, 1);
    assert.doesNotMatch(stripVTControlCharacters(placesToGo({ ...STARTED, hasWizard: true })), /--wizard/);
  });

  test('should have no QR code where no phone gets there, or where it has no room', () => {
    const local = placesToGo({ ...STARTED, manageUrl: null, hasScreen: false });
    assert.match(local, /Manage it +http:\/\/127\.0\.0\.1:8080\/manage\//);
    assert.doesNotMatch(local, /[▀▄█]|Ctrl\+Alt/);
    assert.doesNotMatch(placesToGo({ ...STARTED, columns: 20 }), /[▀▄█]/);
  });
});

/** Runs the service at a terminal of its own (script, util-linux), or with pipes. */
function started(isTerminal: boolean): FaceplateProcess {
  const main = join(import.meta.dirname, '../main.ts');
  const spawnAt = async (args: readonly string[], env: NodeJS.ProcessEnv) => {
    const words = [process.execPath, '--disable-warning=ExperimentalWarning', main, ...args];
    const line = words.map((word) => `'${word}'`).join(' ');
    return spawn('script', ['-qefc', `exec ${line}`, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
  };
  return new FaceplateProcess({ args: ['--host', 'none'], ...(isTerminal && { spawn: spawnAt }) });
}

test('should end a start at a terminal with where to go, and keep JSON lines and the ready line without one', async () => {
  const [terminal, pipes] = [started(true), started(false)];
  await Promise.all([terminal.start(), pipes.start()]);
  try {
    await terminal.line(/Stop +Ctrl\+C/);
    const lines = stripVTControlCharacters(terminal.output).split(/\r?\n/);
    assert.ok(lines.some((line) => line.startsWith('faceplate ready http://127.0.0.1:')));
    assert.ok(
      lines.some((line) => /^\d\d:\d\d:\d\d info {2}http: listening {2}port=\d+/.test(line)),
      terminal.output,
    );
    assert.ok(!lines.some((line) => line.startsWith('{')));
    assert.ok(!terminal.output.includes(await terminal.token()));
    const plain = pipes.output.trimEnd().split('\n');
    assert.deepEqual(
      plain.filter((line) => !line.startsWith('{') && !/^faceplate ready http:\S+$/.test(line)),
      [],
    );
  } finally {
    await Promise.all([terminal.stop(), pipes.stop()]);
  }
});
