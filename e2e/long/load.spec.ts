import { type ClientRequest, request } from 'node:http';
import { startBaresip } from '../../server/testing/sip/baresip.ts';
import { letPass } from '../../server/testing/waiting.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { SipPanel } from '../sipPanel.ts';
import { statsOf, watch } from '../viewer.ts';

const VIEWERS = 8;
const LISTENERS = 332;
const MAX_LISTENERS = 32;
/** How long healthz is called, and the goal for its answer on a quiet machine, in milliseconds. */
const ASKED_MS = 20_000;
const GOAL_MS = 100;

test('should answer and end an endless loop under full load, and not mistake a busy machine for a hung page', async ({
  cameras,
}) => {
  test.setTimeout(300_000);
  const hall = await SipPanel.start({ deviceName: 'Hall' });
  const door = await startBaresip({
    video: true,
    accounts: ['<sip:@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=pcmu'],
  });
  const open: ClientRequest[] = [];
  try {
    const url = await hall.service.url;
    const token = await hall.service.token();
    const api = await apiOf(hall.service);
    const origin = await hall.page.evaluate(() => location.origin);
    const body = JSON.stringify({ http: { allowedOrigins: [origin] } });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await api('/api/manage/settings', undefined, { method: 'PATCH', body, headers })).status).toBe(
      200,
    );
    const recoveries = async () =>
      ((await api('/api/remote/info')).body.recoveries ?? {}) as Record<string, number>;

    await hall.sip('placeCallToIp', `127.0.0.1:${door.port}`);
    await hall.becomes(/^connected/);
    for (let i = 0; i < VIEWERS; i++)
      expect((await watch(hall.page, `load-${i}`, cameras.url('h264-pcmu'), url)).status).toBe(200);
    await expect
      .poll(async () => (await statsOf(hall.page, `load-${VIEWERS - 1}`)).video?.frames ?? 0, {
        timeout: 60_000,
      })
      .toBeGreaterThan(20);
    const statuses = await Promise.all(Array.from({ length: LISTENERS }, () => listen(url, token, open)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_LISTENERS);
    expect(statuses.filter((status) => status === 409)).toHaveLength(LISTENERS - MAX_LISTENERS);

    const times: number[] = [];
    for (const end = performance.now() + ASKED_MS; performance.now() < end; await letPass(10)) {
      const begun = performance.now();
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      times.push(performance.now() - begun);
    }
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1);
    process.stdout.write(
      `healthz under load, ms: p50 ${at(0.5)}  p99 ${at(0.99)} (goal ${GOAL_MS})  worst ${times.at(-1)!.toFixed(1)}\n`,
    );
    expect(await recoveries()).toEqual({});

    const begun = performance.now();
    await hall.page.evaluate(() => {
      setTimeout(() => {
        for (;;);
      });
    });
    await expect.poll(recoveries, { timeout: 60_000 }).toEqual({ 'hung-page': 1 });
    process.stdout.write(
      `endless loop ended after ${((performance.now() - begun) / 1_000).toFixed(1)} s (goal 10)\n`,
    );
  } finally {
    for (const listener of open) listener.destroy();
    await hall.stop();
    await door.remove();
  }
});

/** Opens an event stream and leaves it open. @returns the status of the answer */
function listen(url: string, token: string, open: ClientRequest[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(`${url}/api/remote/events`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    open.push(sent);
    sent.on('error', reject).end();
  });
}
