import { expect, test } from '../fixtures.ts';

/** A page that turns red when its button is pressed and shows what is typed into its field. */
const PAGE = `<!doctype html><body style="margin:0;background:#008800">
<button style="position:absolute;left:100px;top:100px;width:200px;height:100px">press</button>
<input aria-label="name" style="position:absolute;left:100px;top:300px">
<script>
document.querySelector('button').onclick = () => { document.body.style.background = '#aa0000'; };
</script>`;

/** A viewer as a browser on another machine would be one. */
class Viewer {
  readonly sizes: unknown[] = [];
  readonly pictures: Uint8Array[] = [];
  closed: number | undefined;
  readonly #socket: WebSocket;

  constructor(url: string, token: string) {
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/api/manage/screen`, [
      'faceplate.screen',
      `bearer.${token}`,
    ]);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.sizes.push(JSON.parse(data));
      else this.pictures.push(new Uint8Array(data as ArrayBuffer));
    };
    this.#socket.onclose = ({ code }) => {
      this.closed = code;
    };
  }

  say(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.close();
  }
}

test('should let somebody elsewhere watch the page, tap it, type into it, and ask it', async ({
  panel: service,
  page,
  api,
  startSite,
}) => {
  const site = await startSite({ '/': PAGE });
  await api('/api/manage/settings', { kiosk: { url: `${site.origin()}/` } }, { method: 'PATCH' });
  await expect(page).toHaveURL(`${site.origin()}/`);
  await expect(page.locator('button')).toBeVisible();
  const [url, token] = [await service.url, await service.token()];

  const viewer = new Viewer(url, token);
  await expect.poll(() => viewer.pictures.length).toBe(1);
  expect(viewer.sizes).toEqual([{ type: 'size', width: 1280, height: 800 }]);
  expect([...viewer.pictures[0]!.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);

  viewer.say({ type: 'tap', x: 150, y: 150 });
  await expect.poll(() => page.evaluate(() => document.body.style.background)).toBe('rgb(170, 0, 0)');
  await expect.poll(() => viewer.pictures.length).toBeGreaterThan(1);
  viewer.say({ type: 'tap', x: 120, y: 310 });
  // As a person does, who sees that the field has the focus. That keys wait for a touch, half a second at most, the tests of
  // both hosts prove.
  await expect(page.getByLabel('name')).toBeFocused();
  viewer.say({ type: 'text', text: 'Küche' });
  await expect(page.getByLabel('name')).toHaveValue('Küche');

  const evaluate = async (expression: string) => {
    const answer = await fetch(`${url}/api/manage/page/evaluate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ expression }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  expect(await evaluate(`document.querySelector('input').value`)).toEqual({
    status: 200,
    body: { value: 'Küche' },
  });
  expect(await evaluate('undefined')).toEqual({ status: 200, body: { value: null } });
  expect(await evaluate('throw new Error("no lamp")')).toMatchObject({
    status: 400,
    body: { code: 'INVALID_REQUEST', error: 'The page threw Error: no lamp' },
  });
  expect(await evaluate(`"${'x'.repeat(64 * 1024 - 2)}"`)).toMatchObject({ status: 200 });
  expect(await evaluate(`"${'x'.repeat(64 * 1024 - 1)}"`)).toMatchObject({
    status: 400,
    body: { field: 'expression' },
  });

  viewer.close();
  await expect.poll(() => viewer.closed).toBe(1005);
});

test('should answer 501 without a window, to a viewer and to an expression', async ({ startFaceplate }) => {
  const service = await startFaceplate();
  const [url, token] = [await service.url, await service.token()];
  const viewer = new Viewer(url, token);
  await expect.poll(() => viewer.closed).toBe(1006);
  const answer = await fetch(`${url}/api/manage/page/evaluate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"expression":"1"}',
  });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    501,
    'UNSUPPORTED_HARDWARE',
  ]);
});
