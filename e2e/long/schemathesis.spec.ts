import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonWith, runProgram } from '../../server/testing/python.ts';
import { expect, test } from '../fixtures.ts';

const OPEN_API = new URL('../../docs/openapi.json', import.meta.url);
const VERSION = '4.32.0';
/** Not called: what restarts the panel, runs any command, or never ends. */
const LEFT_OUT = ['system.reboot', 'terminal.exec', 'events'];

/** Settings that this run fixes by flag or environment: they cannot be changed over the API. */
const HELD = ['board', 'host', 'token', 'http.host', 'http.port', 'log.level'];

/** An offer as a browser makes it, as far as the panel reads it. */
const OFFER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'm=video 9 UDP/TLS/RTP/SAVPF 100',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:abcd',
  'a=ice-pwd:abcdefghijklmnopqrstuvwx',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=recvonly',
  'a=rtcp-mux',
  'a=rtpmap:100 H264/90000',
  'a=fmtp:100 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
  '',
].join('\r\n');

/** The description without the fixed settings. */
function withoutHeld(text: string): object {
  const openApi = JSON.parse(text);
  const { requestBody } = openApi.paths['/api/manage/settings'].patch;
  const { properties } = requestBody.content['application/json'].schema;
  for (const key of HELD) {
    const [group, name] = key.split('.') as [string, string | undefined];
    if (name === undefined) delete properties[group];
    else delete properties[group].properties[name];
  }
  return openApi;
}

test('should do what docs/openapi.json says, according to schemathesis', async ({
  startFaceplate,
  request,
}, info) => {
  // Five minutes of a core, and more on a busy machine: each request waits for its answer.
  test.setTimeout(2_400_000);
  const folder = info.outputPath();
  const without = 'the API was NOT compared with docs/openapi.json';
  const bin = await pythonWith(folder, [`schemathesis==${VERSION}`], without);
  test.skip(bin === undefined, 'pip has no network');

  const service = await startFaceplate({
    args: ['--host', 'none', '--board', 'simulated', '--log.level', 'info'],
  });
  const url = await service.url;
  const openApi = join(folder, 'openapi.json');
  await writeFile(openApi, JSON.stringify(withoutHeld(await readFile(OPEN_API, 'utf8'))));
  const here = new URL('.', import.meta.url).pathname;
  const args = [
    ['--config-file', `${here}schemathesis.toml`],
    ['run', openApi, '--url', url, '-H', `Authorization: Bearer ${await service.token()}`],
    ...LEFT_OUT.map((id) => ['--exclude-operation-id', id]),
    ['--phases', 'examples,coverage,fuzzing', '--max-examples', '40', '--seed', '1'],
    ['--continue-on-failure', '--request-timeout', '60', '--no-color'],
  ];
  const { code, output } = await runProgram(folder, `${bin}/schemathesis`, args.flat(), {
    ...process.env,
    SCHEMATHESIS_HOOKS: 'schemathesisHooks',
    PYTHONPATH: here,
    PYTHONDONTWRITEBYTECODE: '1',
    FACEPLATE_OPENAPI: openApi,
    FACEPLATE_OFFER: OFFER,
  });
  process.stdout.write(output.slice(output.lastIndexOf('= SUMMARY =')));
  expect(code, output).toBe(0);
  expect((await request.get(`${url}/healthz`)).status()).toBe(200);
  expect(service.output).not.toContain('"code":"INTERNAL"');
});
