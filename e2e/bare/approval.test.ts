import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { letPass, until } from '../../server/testing/waiting.ts';
import { type Kiosk, shareKiosk } from './bareBrowser.ts';

/** The line around the question (server/pages/glass/approval/approval.css), and the grounds of its buttons (glass.css). */
const [LINE, NO, YES] = ['#C9A0F5', '#4FD1C5', '#151C24'];

/** Relays that are never on together. */
const board = {
  name: 'blind',
  gpio: { driver: 'simulated', labels: ['Window', 'Wind', 'Up', 'Down'], interlock: [[2, 3]] },
};
const LISTED = 'gpio.write,system.restart';

interface Answer {
  readonly status: number;
  readonly body: { readonly code?: string; readonly error?: string };
}

interface How {
  readonly signal?: AbortSignal;
  /** Without it the owner's. */
  readonly token?: string;
}

async function call(service: FaceplateProcess, path: string, body: object, how: How = {}): Promise<Answer> {
  const { signal, token = await service.token() } = how;
  const response = await fetch(`${await service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

describe('a yes at the panel, on a real screen', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  let folder: string;
  before(async () => {
    folder = temporaryFolder('board');
    await writeFile(join(folder, 'blind.json'), JSON.stringify(board));
  });
  shareKiosk(
    (opened) => {
      kiosk = opened;
    },
    {
      env: () => ({ FACEPLATE_APPROVAL_COMMANDS: LISTED, FACEPLATE_BOARD: join(folder, 'blind.json') }),
    },
  );

  const write = (pin: number, level: number, how: How = {}) =>
    call(kiosk.service, '/api/remote/gpio/write', { pin, level }, how);
  const asks = (isShown = true) =>
    until(async () => (await kiosk.screen.colours()).includes(LINE) === isShown, `the question ${isShown}`);

  /** A place in Yes where no letter is; No has the same place as far from the other edge. */
  function yesAt(): readonly [number, number] | undefined {
    const is = (colour: string, x: number, y: number) =>
      [-20, 0, 20].every((dx) => [-10, 10].every((dy) => kiosk.screen.colourAt(x + dx, y + dy) === colour));
    for (let y = 780; y > 300; y -= 8)
      for (let x = 1_200; x > 640; x -= 40) if (is(YES, x, y) && is(NO, 1_280 - x, y)) return [x, y];
    return undefined;
  }

  /** Clicks for real until the call has its answer: what comes too early does not count. */
  async function click(button: 'yes' | 'no', answer: Promise<Answer>): Promise<Answer> {
    let isAnswered = false;
    const answered = () => {
      isAnswered = true;
    };
    answer.then(answered, answered);
    await until(async () => {
      const [x, y] = (isAnswered ? undefined : yesAt()) ?? [];
      if (x !== undefined)
        await kiosk.screen.input(`mousemove ${button === 'yes' ? x : 1_280 - x} ${y} click 1`);
      return isAnswered;
    }, `an answer to ${button}`);
    return answer;
  }

  async function lastFacts(): Promise<unknown> {
    const response = await fetch(`${await kiosk.service.url}/api/manage/journal?limit=2`, {
      headers: { authorization: `Bearer ${await kiosk.service.token()}` },
    });
    const { entries } = (await response.json()) as {
      entries: { command: string; code: string; params: unknown }[];
    };
    return entries.map(({ command, code, params }) => ({ command, code, params }));
  }

  test('should carry out a call after a click on Yes, refuse it after No, and write both down', async () => {
    const yes = write(2, 1);
    await asks();
    assert.equal((await click('yes', yes)).status, 200);
    await asks(false);
    const [ended, asked] = (await lastFacts()) as [unknown, { command: string; params: object }];
    assert.deepEqual(ended, { command: 'gpio.write', code: 'OK', params: { pin: 2, level: 1 } });
    assert.equal(asked.command, 'approval');
    const caller = { id: 'owner', name: 'owner', address: '127.0.0.1' };
    assert.deepEqual(
      { ...asked.params, ms: 0 },
      { command: 'gpio.write', surface: 'http', caller, answer: 'yes', ms: 0 },
    );
    const no = write(2, 0);
    await asks();
    const refused = await click('no', no);
    assert.deepEqual([refused.status, refused.body.code], [403, 'NOT_APPROVED']);
    assert.match(refused.body.error ?? '', /said no/);
  });

  test('should refuse a pin that is locked out although somebody said yes', async () => {
    const locked = write(3, 1);
    await asks();
    const { status, body } = await click('yes', locked);
    assert.deepEqual([status, body.code], [409, 'LOCKED_OUT']);
  });

  test('should take the question away with its caller', async () => {
    const leaving = new AbortController();
    const left = write(2, 0, leaving).catch(({ name }: Error) => name);
    await asks();
    leaving.abort();
    assert.equal(await left, 'AbortError');
    await asks(false);
  });

  test('security: should end the call of a token that is revoked while it waits', async () => {
    const { service } = kiosk;
    const made = await call(service, '/api/manage/tokens', { name: 'tablet', scopes: ['control'] });
    const { id, token } = made.body as { id: string; token: string };
    const asked = call(service, '/api/remote/gpio/write', { pin: 2, level: 0 }, { token });
    await asks();
    const response = await fetch(`${await service.url}/api/manage/tokens/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${await service.token()}` },
    });
    assert.equal(response.status, 200);
    const { status, body } = await asked;
    assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED']);
    await asks(false);
  });

  test('security: should take no answer from the live screen, from the page, or from a script in it', async () => {
    const { service, site, screen } = kiosk;
    const url = `${(await service.url).replace('http', 'ws')}/api/manage/screen`;
    const viewer = new WebSocket(url, ['faceplate.screen', `bearer.${await service.token()}`]);
    const picture = once(viewer, 'message');
    await picture;
    let isAnswered = false;
    const asked = write(2, 0).finally(() => {
      isAnswered = true;
    });
    await asks();
    let place: readonly [number, number] | undefined;
    await until(() => {
      place = yesAt();
      return place !== undefined;
    }, 'the buttons');
    const [x, y] = place!;
    // The first half second takes no press at all, whoever makes it.
    await letPass(600);
    for (const what of [
      { type: 'tap', x, y },
      { type: 'down', x, y },
      { type: 'up', x, y },
      ...['Tab', 'Tab', 'Enter', ' '].map((key) => ({ type: 'key', key })),
    ])
      viewer.send(JSON.stringify(what));
    const script = `for (const place of [document, parent.document, top.document])
      for (const one of place.querySelectorAll('button')) one.click();
      document.elementFromPoint(${x}, ${y})?.click(); 'done'`;
    const ran = await call(service, '/api/manage/page/evaluate', { expression: script });
    assert.deepEqual(ran.body, { value: 'done' });
    assert.equal(
      await site.ask(() => {
        for (const key of ['Tab', 'Enter'])
          dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        return window.frames.length;
      }),
      0,
    );
    viewer.close();
    assert.equal(isAnswered, false);
    // A key of a person at the panel.
    await until(async () => {
      if (!isAnswered) await screen.input('key Escape');
      return isAnswered;
    }, 'an answer to Escape');
    assert.match((await asked).body.error ?? '', /said no/);
  });

  test('should let the page do the same without a question', async () => {
    const level = await kiosk.site.ask(async () => {
      const { container } = window as unknown as {
        container: { call(name: string, params: object): Promise<{ level: number }> };
      };
      return (await container.call('gpio.write', { pin: 2, level: 0 })).level;
    });
    assert.equal(level, 0);
  });
});

test('should refuse at once what nobody can be asked for, where the page has no screen', async () => {
  const service = new FaceplateProcess({ kiosk: true, env: { FACEPLATE_APPROVAL_COMMANDS: LISTED } });
  await service.start();
  try {
    const { status, body } = await call(service, '/api/remote/gpio/write', { pin: 2, level: 1 });
    assert.deepEqual([status, body.code], [403, 'NOT_APPROVED']);
    assert.match(body.error ?? '', /no screen/);
  } finally {
    await service.stop();
  }
});
