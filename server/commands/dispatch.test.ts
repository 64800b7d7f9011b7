import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Identity, NOBODY, OWNER, PANEL } from '../contract/access.ts';
import { type CommandName, commands } from '../contract/commands.ts';
import { type ErrorCode, FaceplateError } from '../contract/errors.ts';
import { StrangersLog } from '../platform/limits.ts';
import { createLogger, silentLogger } from '../platform/log.ts';
import { admit } from './access.ts';
import { type Caller, Dispatcher, type Handlers } from './dispatch.ts';

const page = (signal = new AbortController().signal): Caller => ({
  surface: 'page',
  identity: { id: 'page', name: 'http://demo.localhost', scopes: [] },
  address: null,
  origin: 'http://demo.localhost',
  signal,
});
const http = (signal = new AbortController().signal): Caller => ({
  surface: 'http',
  identity: OWNER,
  address: '127.0.0.1',
  origin: '127.0.0.1',
  signal,
});

function dispatcher(
  handlers: Record<string, (...call: never[]) => unknown>,
  log = silentLogger(),
): Dispatcher {
  return new Dispatcher(handlers as unknown as Handlers, log, { pageMay: () => false });
}

function code(expected: ErrorCode, field?: string) {
  return (error: unknown) =>
    error instanceof FaceplateError && error.code === expected && error.field === field;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('dispatch', () => {
  it('should hand checked params to the handler and its answer back', async () => {
    const { dispatch } = dispatcher({
      'gpio.read': ({ pin }: { pin: number }) => ({ status: 'ok', pin, level: 1, ok: true }),
    });
    assert.deepEqual(await dispatch('gpio.read', { pin: 2 }, page()), {
      status: 'ok',
      pin: 2,
      level: 1,
      ok: true,
    });
  });

  it('should refuse bad params before the handler runs, with the path of the field', async () => {
    const { dispatch } = dispatcher({ 'gpio.read': () => assert.fail('must not run') });
    await assert.rejects(dispatch('gpio.read', { pin: 99 }, page()), code('INVALID_REQUEST', 'pin'));
    await assert.rejects(dispatch('gpio.read', { pin: 1, x: 1 }, page()), code('INVALID_REQUEST', 'x'));
    await assert.rejects(dispatch('gpio.read', 'pin', page()), code('INVALID_REQUEST'));
    await assert.rejects(
      dispatch('gpio.read', { pin: 1, ['y'.repeat(500)]: 1 }, page()),
      (error: Error) => error.message.length < 200,
    );
  });

  it('should refuse a command on a surface that does not offer it: a page has no terminal', async () => {
    const { dispatch } = dispatcher({ 'terminal.exec': () => assert.fail('must not run') });
    await assert.rejects(dispatch('terminal.exec', { command: 'id' }, page()), code('NOT_FOUND'));
  });

  it('should ask once whether a caller may, where the surface has asked before', async () => {
    const state = { on: true, red: 1, green: 2, blue: 3 };
    const { dispatch } = dispatcher({ 'led.state': () => ({ status: 'ok', state }) });
    let asked = 0;
    const identity = {
      id: '1',
      name: 'viewer',
      get scopes() {
        asked++;
        return ['view'] as const;
      },
    };
    const caller = { ...http(), surface: 'http', identity } as const;
    await dispatch('led.state', {}, { ...caller, admission: admit(commands['led.state'], caller) });
    assert.equal(asked, 1);
  });

  it('security: should believe an admission only of the same caller, surface and command', async () => {
    const { dispatch } = dispatcher({ 'gpio.write': () => assert.fail('must not run') });
    const identity: Identity = { id: '1', name: 'viewer', scopes: ['view'] };
    const write = commands['gpio.write'];
    const forged = [
      admit(write, { surface: 'http', identity: OWNER }),
      admit(write, { surface: 'http', identity: { ...identity, scopes: ['view', 'control'] } }),
      admit(commands['gpio.read'], { surface: 'http', identity }),
      Object.create(Object.getPrototypeOf(admit(write, { surface: 'http', identity: OWNER }))),
    ];
    for (const admission of forged)
      await assert.rejects(
        dispatch('gpio.write', { pin: 0, level: 1 }, { ...http(), identity, admission }),
        (error) => code('FORBIDDEN')(error) || code('INTERNAL')(error),
      );
    const ofBroker = admit(write, { surface: 'mqtt', identity: OWNER });
    const page = { ...http(), surface: 'panel', identity: OWNER, admission: ofBroker } as const;
    await assert.rejects(dispatch('gpio.write', { pin: 0, level: 1 }, page), code('FORBIDDEN'));
  });

  it('should let a page install packages only where bridge.allowInstall is on', async () => {
    const handlers = {
      'apps.install': () => ({ status: 'installed', packageName: 'a' }),
    } as unknown as Handlers;
    for (const allowed of [false, true]) {
      const { dispatch } = new Dispatcher(handlers, silentLogger(), { pageMay: () => allowed });
      const call = dispatch('apps.install', { path: '/x.deb' }, page());
      if (allowed) assert.equal(((await call) as { packageName: string }).packageName, 'a');
      else await assert.rejects(call, code('FORBIDDEN'));
      assert.ok(await dispatch('apps.install', { path: '/x.deb' }, http()));
    }
  });

  it('should end a call at its time limit and abort its handler', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let signal: AbortSignal | undefined;
    const { dispatch } = dispatcher({
      'gpio.read': (_: never, context: { signal: AbortSignal }) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const call = dispatch('gpio.read', { pin: 0 }, http());
    // The timer is set once the answer turns out not to be there at once.
    await nextTurn();
    t.mock.timers.tick(5_000);
    await assert.rejects(call, code('HARDWARE_TIMEOUT'));
    assert.equal(signal?.aborted, true);
  });

  it('should abort the handler when the caller is gone, also one gone before', async () => {
    const gone = new AbortController();
    const { dispatch } = dispatcher({
      'gpio.read': (_: never, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const call = dispatch('gpio.read', { pin: 0 }, http(gone.signal));
    gone.abort();
    await assert.rejects(call, code('REQUEST_TIMEOUT'));
    await assert.rejects(dispatch('gpio.read', { pin: 0 }, http(gone.signal)), code('REQUEST_TIMEOUT'));
  });

  it('should leave the reason to a handler that ends itself when the caller is gone', async () => {
    const gone = new AbortController();
    const { dispatch } = dispatcher({
      'gpio.read': (_: never, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new FaceplateError('HARDWARE_ERROR'))),
        ),
    });
    const call = dispatch('gpio.read', { pin: 0 }, http(gone.signal));
    await nextTurn();
    gone.abort();
    await assert.rejects(call, code('HARDWARE_ERROR'));
  });

  it('should turn anything that is not a FaceplateError into INTERNAL with the log id only', async () => {
    const lines: string[] = [];
    const log = createLogger('error', {
      write: (line: string) => lines.push(line),
    } as unknown as NodeJS.WritableStream);
    const { dispatch } = dispatcher(
      {
        'gpio.read': () => {
          throw new Error('password 1234');
        },
        'gpio.write': () => ({ status: 'ok', pin: 77 }),
      },
      log,
    );
    const failure = await dispatch('gpio.read', { pin: 0 }, http()).catch((error: FaceplateError) => error);
    assert.ok(code('INTERNAL')(failure));
    const id = /under ([0-9a-f]{8})\.$/.exec((failure as Error).message)?.[1];
    assert.ok(id && lines[0]?.includes(id) && lines[0].includes('password 1234'));
    await assert.rejects(dispatch('gpio.write', { pin: 0, level: 1 }, http()), code('INTERNAL'));
  });

  it('should let calls in flight finish when it stops, and refuse new ones', async () => {
    let finish: (value: unknown) => void = () => {};
    const it = dispatcher({
      'gpio.read': () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    const call = it.dispatch('gpio.read', { pin: 0 }, http());
    const stopped = it.stop();
    await assert.rejects(it.dispatch('gpio.read', { pin: 0 }, http()), code('SHUTTING_DOWN'));
    finish({ status: 'ok', pin: 0, level: 0, ok: true });
    assert.ok(await call);
    await stopped;
  });

  it('should end a handler that ignores its signal when the service stops', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const it = dispatcher({ 'gpio.read': () => new Promise(() => {}) });
    const call = it.dispatch('gpio.read', { pin: 0 }, http());
    const stopped = it.stop();
    t.mock.timers.tick(1_000);
    await assert.rejects(call, code('SHUTTING_DOWN'));
    await stopped;
  });
});

describe('calls that need a yes at the panel', () => {
  const mqtt: Caller = {
    ...http(),
    surface: 'mqtt',
    identity: { id: 'mqtt', name: 'a/b', scopes: ['control'] },
  };
  const glass: Caller = { ...http(), surface: 'panel', identity: PANEL, unlocked: true };
  const pin = { pin: 2, level: 1 };
  const done = { status: 'ok', pin: 2, level: 1, ok: true };

  /** A dispatcher whose person answers when the test says so. */
  function asking(handlers: Record<string, (...call: never[]) => unknown> = { 'gpio.write': () => done }) {
    const asked: { command: string; params: unknown; surface: string; id: string }[] = [];
    const noted: string[] = [];
    const person = Promise.withResolvers<void>();
    const approval = {
      covers: (command: string) => command === 'gpio.write' || command === 'system.reboot',
      ask(
        call: { command: string; params: unknown; surface: string; identity: { id: string } },
        gone: AbortSignal,
      ) {
        const { command, params, surface, identity } = call;
        asked.push({ command, params, surface, id: identity.id });
        gone.addEventListener('abort', () => person.reject(gone.reason));
        return person.promise;
      },
    };
    const it = new Dispatcher(handlers as unknown as Handlers, silentLogger(), {
      pageMay: () => false,
      note: ({ command, code }) => noted.push(`${command} ${code}`),
      approval,
    });
    return { it, dispatch: it.dispatch, asked, noted, yes: person.resolve, no: person.reject };
  }

  it('should wait for calls over HTTP and on a broker, and carry them out after the yes', async () => {
    for (const caller of [http(), mqtt]) {
      let ran = 0;
      const { dispatch, asked, noted, yes } = asking({
        'gpio.write': () => {
          ran++;
          return done;
        },
      });
      const call = dispatch('gpio.write', pin, caller);
      await nextTurn();
      assert.deepEqual(asked, [
        { command: 'gpio.write', params: pin, surface: caller.surface, id: caller.identity.id },
      ]);
      assert.equal(ran, 0);
      yes();
      assert.deepEqual(await call, done);
      assert.deepEqual(noted, ['gpio.write OK']);
    }
  });

  it('should refuse after a no, without running the handler', async () => {
    const { dispatch, noted, no } = asking({ 'gpio.write': () => assert.fail('must not run') });
    no(new FaceplateError('NOT_APPROVED'));
    await assert.rejects(dispatch('gpio.write', pin, http()), code('NOT_APPROVED'));
    assert.deepEqual(noted, ['gpio.write NOT_APPROVED']);
  });

  it('should never wait for who stands at the panel, nor for commands that are not listed', async () => {
    const { dispatch, asked } = asking({ 'gpio.write': () => done, 'gpio.read': () => done });
    for (const caller of [page(), glass]) assert.ok(await dispatch('gpio.write', pin, caller));
    assert.ok(await dispatch('gpio.read', { pin: 2 }, http()));
    assert.deepEqual(asked, []);
  });

  it('should ask for nothing that is not valid, or that the caller may not do', async () => {
    const { dispatch, asked } = asking();
    await assert.rejects(
      dispatch('gpio.write', { pin: 99, level: 1 }, http()),
      code('INVALID_REQUEST', 'pin'),
    );
    await assert.rejects(dispatch('system.reboot', {}, mqtt), code('FORBIDDEN'));
    assert.deepEqual(asked, []);
  });

  it('should not count the waiting into the time limit of the command', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { dispatch, yes } = asking({ 'gpio.write': () => new Promise(() => {}) });
    const call = dispatch('gpio.write', pin, http());
    let isOver = false;
    call.catch(() => {
      isOver = true;
    });
    await nextTurn();
    t.mock.timers.tick(29_000);
    yes();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    t.mock.timers.tick(4_999);
    await nextTurn();
    assert.equal(isOver, false);
    t.mock.timers.tick(1);
    await assert.rejects(call, code('HARDWARE_TIMEOUT'));
  });

  it('should end the waiting when the caller is gone, and when the service stops', async () => {
    const leaving = new AbortController();
    const one = asking({ 'gpio.write': () => assert.fail('must not run') });
    const first = one.dispatch('gpio.write', pin, http(leaving.signal));
    leaving.abort(new FaceplateError('REQUEST_TIMEOUT'));
    await assert.rejects(first, code('REQUEST_TIMEOUT'));
    const two = asking({ 'gpio.write': () => assert.fail('must not run') });
    const second = two.dispatch('gpio.write', pin, http());
    await Promise.all([two.it.stop(), assert.rejects(second, code('SHUTTING_DOWN'))]);
  });

  it('security: should not carry out a call whose yes comes while the service stops', async () => {
    const { it, dispatch, yes } = asking({ 'gpio.write': () => assert.fail('must not run') });
    const call = dispatch('gpio.write', pin, http());
    yes();
    await Promise.all([it.stop(), assert.rejects(call, code('SHUTTING_DOWN'))]);
  });
});

describe('who is a stranger', () => {
  const nobody: Caller = { ...http(), identity: NOBODY };
  const wrong = { code: 'x', name: '' };
  const right = { code: '12345678', name: 'phone' };

  /** Calls once. @returns what the journal was told, and the lines of the log */
  async function told(command: CommandName, params: object, caller: Caller, answer: () => unknown) {
    const notes: [string, boolean][] = [];
    const lines: string[] = [];
    const log = createLogger('info', { write: (line) => lines.push(line) });
    const it = new Dispatcher({ [command]: answer } as unknown as Handlers, log, {
      pageMay: () => false,
      strangers: new StrangersLog(log),
      note: ({ code, isStranger }) => notes.push([code, isStranger]),
    });
    for (let i = 0; i < 50; i++) await it.dispatch(command, params, caller).catch(() => {});
    await it.stop();
    assert.equal(notes.length, 50);
    assert.ok(notes.every(([code, isStranger]) => code === notes[0]?.[0] && isStranger === notes[0]?.[1]));
    return { note: notes[0], lines: lines.length };
  }

  it('security: should be who does not hold the scope, or has none and is refused; their lines are limited', async () => {
    const never = () => assert.fail('must not run');
    const failing = () => {
      throw new FaceplateError('UNAUTHORIZED');
    };
    const reader: Caller = { ...http(), identity: { id: 'a', name: 'a', scopes: ['view'] } };
    const member: Caller = { ...reader, surface: 'mqtt', address: 'broker:1883' };
    const counted = 10 + 1;
    for (const [command, params, caller, answer, code] of [
      ['pairing.finish', wrong, nobody, never, 'INVALID_REQUEST'],
      ['pairing.finish', right, nobody, failing, 'UNAUTHORIZED'],
      ['led.on', { on: true }, reader, never, 'FORBIDDEN'],
      ['terminal.exec', { command: 'id' }, member, never, 'FORBIDDEN'],
      ['terminal.exec', { command: 'id' }, page(), never, 'NOT_FOUND'],
    ] as const)
      assert.deepEqual(await told(command, params, caller, answer), { note: [code, true], lines: counted });
  });

  it('should be nobody who may call, also with what is wrong, or who has paired', async () => {
    const never = () => assert.fail('must not run');
    const paired = () => ({ id: 'b', name: 'phone', scopes: ['view'], token: 't' });
    assert.deepEqual(await told('pairing.finish', right, nobody, paired), { note: ['OK', false], lines: 0 });
    assert.deepEqual(await told('led.on', {}, http(), never), {
      note: ['INVALID_REQUEST', false],
      lines: 50,
    });
    assert.deepEqual(await told('led.on', {}, page(), never), {
      note: ['INVALID_REQUEST', false],
      lines: 50,
    });
  });
});

describe('the log', () => {
  it('should never carry a secret', () => {
    let text = '';
    const log = createLogger('info', {
      write: (chunk: string) => {
        text += chunk;
        return true;
      },
    } as unknown as NodeJS.WritableStream);
    const secret = 'hunter2';
    log.info(
      {
        token: secret,
        password: secret,
        authorization: secret,
        params: { token: secret, url: secret, command: secret },
      },
      'x',
    );
    assert.match(text, /\[redacted\]/);
    assert.doesNotMatch(text, /hunter2/);
  });
});

describe('commands of the settings page', () => {
  const settings = (unlocked: boolean): Caller => ({
    surface: 'panel',
    identity: PANEL,
    address: null,
    origin: 'http://settings.localhost',
    unlocked,
    signal: new AbortController().signal,
  });
  const { dispatch } = dispatcher({
    'token.show': () => ({ token: 'secret', held: false }),
    'settingsPage.touch': () => ({ status: 'ok' }),
    'led.state': () => ({ status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } }),
    'sip.answer': () => assert.fail('must not run'),
  });

  it('security: should be there for that page only, and behind its PIN', async () => {
    for (const caller of [http(), page()])
      await assert.rejects(dispatch('token.show', {}, caller), code('NOT_FOUND'));
    await assert.rejects(dispatch('token.show', {}, settings(false)), code('FORBIDDEN'));
    assert.deepEqual(await dispatch('token.show', {}, settings(true)), { token: 'secret', held: false });
    assert.ok(await dispatch('settingsPage.touch', {}, settings(false)));
    await assert.rejects(dispatch('led.state', {}, settings(false)), code('FORBIDDEN'));
    assert.ok(await dispatch('led.state', {}, settings(true)));
    await assert.rejects(dispatch('sip.answer', {}, settings(true)), code('NOT_FOUND'));
  });
});
