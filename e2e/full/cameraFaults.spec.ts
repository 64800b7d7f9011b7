import { usualReply } from '../../server/testing/scriptedCamera.ts';
import { failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { offerOf, stopDemo } from '../viewer.ts';

test.describe('a camera that', () => {
  test('hangs should be reported as CAMERA_TIMEOUT and disconnected', async ({ page, api, startCamera }) => {
    const camera = await startCamera((request) =>
      request.method === 'DESCRIBE' ? undefined : usualReply(request),
    );
    await stopDemo(page);
    const opening = api('/api/stream/whep/hanging', { url: camera.url(), sdp: await offerOf(page) });
    await expect
      .poll(async () => (await api('/api/stream/sessions')).body.sessions)
      .toEqual([expect.objectContaining({ id: 'hanging', state: 'connecting' })]);
    expect(await opening).toEqual(failure(504, 'CAMERA_TIMEOUT', /DESCRIBE/));
    await expect.poll(() => camera.connections).toEqual({ all: 1, open: 0 });
    expect((await api('/api/stream/sessions')).body.sessions).toEqual([]);
  });
});
