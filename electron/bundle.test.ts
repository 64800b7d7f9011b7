import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import { channels } from '../preload/electronChannels.ts';
import type { installBridge } from '../preload/pageBridge.ts';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';

const bundle = async (file: string, format: 'esm' | 'cjs') => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format,
    external: ['electron', 'koffi', 'serialport'],
    write: false,
    logLevel: 'silent',
  });
  assert.equal(outputFiles.length, 1);
  return outputFiles[0]!.text;
};

interface MainWorldScript {
  func: (...args: unknown[]) => unknown;
  args: unknown[];
}

/** Runs the bundled preload with Electron's side played by the test. */
const runPreload = (source: string, spec: ContainerSpec | null, isFrame = false) => {
  const scripts: MainWorldScript[] = [];
  const sent: unknown[][] = [];
  let receive: (event: unknown, json: string) => void = () => {};
  const electron = {
    contextBridge: { executeInMainWorld: (script: MainWorldScript) => scripts.push(script) },
    ipcRenderer: {
      sendSync: (channel: string) =>
        channel === channels.spec && !isFrame ? spec : assert.fail('asked for the bridge'),
      send: (...message: unknown[]) => sent.push(message),
      on: (channel: string, listener: typeof receive) => {
        assert.equal(channel, channels.bridge);
        receive = listener;
      },
    },
  };
  const required: string[] = [];
  const world = vm.createContext({
    module: { exports: {} },
    document: { addEventListener() {} },
    crypto: globalThis.crypto,
    addEventListener() {},
    MutationObserver: class {
      observe() {}
    },
    require: (name: string) => {
      required.push(name);
      return electron;
    },
  });
  // The window of a frame has another top; that of the main frame is its own.
  vm.runInContext(isFrame ? 'var top = {}' : 'var top = globalThis', world);
  vm.runInContext(source, world);
  return { scripts, sent, required, receive: (json: string) => receive({}, json) };
};

describe('the Electron pair', () => {
  test('should bundle the main process as one ES module', async () => {
    const source = await bundle('main.ts', 'esm');
    for (const part of ['from "electron"', '// electron/electronHost.ts', '// server/app.ts'])
      assert.ok(source.includes(part), part);
  });

  test('should bundle the preload as one CommonJS file that needs nothing but electron', async () => {
    const source = await bundle('../preload/electronPreload.ts', 'cjs');
    const spec: ContainerSpec = {
      version: '1',
      isOem: true,
      methods: {
        container: { sendUdp: { command: 'udp.send', args: ['host', 'port', 'hex'] } },
        sip: {},
        MobileBridge: {},
      },
      bridges: ['gpioBridge'],
      events: [],
      sipEvents: [],
      aliases: [],
      messageLimit: 1_000,
    };
    const { scripts, sent, required, receive } = runPreload(source, spec);
    assert.deepEqual(new Set(required), new Set(['electron']));
    assert.equal(scripts.length, 9);
    // Electron takes the functions to the main world as text: they have to work without their surroundings.
    const scope = { requestAnimationFrame() {}, setTimeout() {}, clearTimeout() {}, addEventListener() {} };
    for (const { func } of scripts.slice(4, 7)) vm.runInNewContext(`(${func})`)(scope);
    assert.equal(typeof (scope as { faceplateStreams?: unknown }).faceplateStreams, 'function');
    const { func, args } = scripts[8]!;
    const page = { EventTarget, MessageEvent, reportError: () => {} };
    const install = vm.runInNewContext(`(${func})`) as typeof installBridge;
    install(page as never, args[1] as never, args[2] as never);
    const { container } = page as unknown as { container: { sendUdp(...args: unknown[]): Promise<unknown> } };
    const answer = container.sendUdp('127.0.0.1', 9, '00');
    assert.deepEqual(sent, [
      [channels.bridge, '{"id":1,"method":"container.sendUdp","args":["127.0.0.1",9,"00"]}'],
    ]);
    receive('{"id":1,"result":"sent"}');
    assert.equal(await answer, 'sent');
  });

  test('security: the preload builds nothing for a page that gets no bridge', async () => {
    const { scripts } = runPreload(await bundle('../preload/electronPreload.ts', 'cjs'), null);
    assert.equal(scripts.length, 4);
    assert.match(String(scripts[0]!.func), /contextmenu/);
    assert.match(String(scripts[1]!.func), /requestPointerLock/);
    assert.match(String(scripts[2]!.func), /more entries were not written to the console/);
    // Only tells what keeps the panel awake.
    assert.match(String(scripts[3]!.func), /WakeLock/);
  });

  test('security: the preload of a frame guards it and never asks for the bridge', async () => {
    const source = await bundle('../preload/electronPreload.ts', 'cjs');
    const { scripts } = runPreload(source, {} as ContainerSpec, true);
    assert.equal(scripts.length, 4);
  });
});
