import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pythonWith, runProgram } from '../../testing/python.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { OnvifCamera } from '../testing/onvifCamera.ts';

let folder: string;
let bin: string | undefined;

before(async () => {
  folder = temporaryFolder('onvif');
  bin = await pythonWith(folder, ['ipycam==1.3.0', 'onvif-zeep-async==4.3.0'], 'no peer of ONVIF is tried');
});

/** A camera of another author, and our search and calls beside it, on a network of their own with multicast. */
const NETWORK = `
ip link set lo up; ip link set lo multicast on; ip route add 224.0.0.0/4 dev lo; ip route add default via 127.0.0.1 dev lo
"$1/ipycam" --config c.json --source v.mp4 > ipycam.log 2>&1 &
camera=$!
"$2" --disable-warning=ExperimentalWarning "$3"
code=$?
kill $camera
exit $code
`;

test('should find PyPI ipycam, read its profiles, move it and take its picture', {
  timeout: 180_000,
}, async (t) => {
  if (bin === undefined) return t.skip('pip cannot be reached');
  if (process.getuid?.() !== 0) return t.skip('needs root, for a network of its own');
  const config = {
    name: 'Door',
    manufacturer: 'PythonCam',
    model: 'V1',
    username: 'admin',
    password: 'secret',
    main_width: 1280,
    main_height: 720,
    main_fps: 15,
    main_bitrate: '2M',
    sub_width: 640,
    sub_height: 360,
    sub_bitrate: '500K',
    hw_accel: 'cpu',
  };
  await writeFile(join(folder, 'c.json'), JSON.stringify(config));
  await writeFile(join(folder, 'run.sh'), NETWORK);
  const source = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=1280x720:rate=15',
    '-t',
    '5',
    '-pix_fmt',
    'yuv420p',
    'v.mp4',
  ];
  const clip = await runProgram(folder, 'ffmpeg', ['-y', '-v', 'error', ...source]);
  assert.equal(clip.code, 0, clip.output);
  const here = (file: string) => JSON.stringify(join(import.meta.dirname, file));
  await writeFile(
    join(folder, 'ask.ts'),
    `import { OnvifCameras } from ${here('service.ts')};
import { searchCameras } from ${here('discovery.ts')};
import { parseCameraUrl } from ${here('../rtsp/cameraUrl.ts')};
import { openAccess } from ${here('../testing/openAccess.ts')};
import { Pictures } from ${here('../snapshot/pictures.ts')};
import { silentLogger } from ${here('../../platform/log.ts')};
import { systemWallClock } from ${here('../../platform/clock.ts')};
const signal = new AbortController().signal;
let found = [];
for (let tries = 0; tries < 20 && found.length === 0; tries++)
  found = await searchCameras({ seconds: 2, clock: systemWallClock, signal, onFound: () => {} });
const cameras = new OnvifCameras({ access: openAccess, clock: systemWallClock, log: silentLogger() });
const { host, port } = found[0] ?? {};
const url = parseCameraUrl(\`onvif://admin:secret@\${host}:\${port}/\`);
const described = await cameras.describe(url, signal);
const small = await cameras.streamFor(url, { width: 320, height: 180 }, signal);
const moved = await cameras.move(url, { pan: 0.5, seconds: 0.2 }, signal).then(() => 'moved', (error) => error.code);
const wrong = await cameras.describe(parseCameraUrl(\`onvif://admin:no@\${host}:\${port}/\`), signal).catch((error) => error.code);
const pictures = new Pictures({ onvif: cameras, access: openAccess, clock: systemWallClock });
const { kind, url: address } = await pictures.sourceFor(url, undefined, signal);
const { size } = await pictures.fromWeb(address, signal);
pictures.stop();
await cameras.stop();
console.log(JSON.stringify({ found, described, small, moved, wrong, picture: { kind, ...size } }));
process.exit(0);
`,
  );
  const args = ['-n', 'sh', 'run.sh', bin, process.execPath, 'ask.ts'];
  const { code, out, output } = await runProgram(folder, 'unshare', args);
  assert.equal(code, 0, output);
  const { found, described, small, moved, wrong, picture } = JSON.parse(out);
  assert.equal(found.length, 1);
  assert.equal(described.profiles.length, 2);
  const sizes = described.profiles.map(({ codec, width, height, chosen }: Record<string, unknown>) => [
    codec,
    width,
    height,
    chosen,
  ]);
  assert.deepEqual(sizes, [
    ['H264', 1280, 720, 'large'],
    ['H264', 640, 360, 'small'],
  ]);
  assert.equal(small.profile.width, 640);
  assert.deepEqual([moved, wrong], ['moved', 'CAMERA_UNAUTHORIZED']);
  assert.deepEqual(picture, { kind: 'web', width: 1280, height: 720 });
});

const ASK = `
import asyncio, sys
from onvif import ONVIFCamera

async def main():
    camera = ONVIFCamera('127.0.0.1', int(sys.argv[1]), 'panel', 's3cret')
    await camera.update_xaddrs()
    device = await camera.create_devicemgmt_service()
    media = await camera.create_media_service()
    moves = await camera.create_ptz_service()
    profiles = await media.GetProfiles()
    token = profiles[0].token
    setup = {'Stream': 'RTP-Unicast', 'Transport': {'Protocol': 'RTSP'}}
    uri = await media.GetStreamUri({'StreamSetup': setup, 'ProfileToken': token})
    presets = await moves.GetPresets({'ProfileToken': token})
    print((await device.GetDeviceInformation()).Model, token, uri.Uri, [preset.token for preset in presets])
    await camera.close()

asyncio.run(main())
`;

test('should have a double that PyPI onvif-zeep-async understands', async (t) => {
  if (bin === undefined) return t.skip('pip cannot be reached');
  const camera = new OnvifCamera({
    names: '127.0.0.1:$port',
    password: 's3cret',
    profiles: [{ token: 'main', codec: 'H264', width: 1280, height: 720, uri: 'rtsp://127.0.0.1/main' }],
  });
  await camera.start();
  t.after(() => camera.stop());
  await writeFile(join(folder, 'askDouble.py'), ASK);
  const { code, out, output } = await runProgram(folder, join(bin, 'python'), [
    'askDouble.py',
    String(camera.port),
  ]);
  assert.equal(code, 0, output);
  assert.equal(out.trim(), "D1 main rtsp://127.0.0.1/main ['p1', 'p2']");
});

/** The double on a network of its own, where it answers whoever searches. */
const FOUND = (double: string) => `import { createSocket } from 'node:dgram';
import { OnvifCamera } from ${double};
const camera = new OnvifCamera({
  names: '127.0.0.1:$port',
  password: 's3cret',
  profiles: [{ token: 'main', codec: 'H264', width: 1280, height: 720, uri: 'rtsp://127.0.0.1/main' }],
});
await camera.start();
const socket = createSocket({ type: 'udp4', reuseAddr: true });
socket.on('message', (bytes, { address, port }) => {
  const asked = /MessageID>([^<]+)</.exec(bytes.toString())[1];
  socket.send('<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><s:Header><a:RelatesTo>' + asked + '</a:RelatesTo></s:Header><s:Body><d:ProbeMatches><d:ProbeMatch><d:Types>dn:NetworkVideoTransmitter</d:Types><d:Scopes>onvif://www.onvif.org/name/Door onvif://www.onvif.org/hardware/D1</d:Scopes><d:XAddrs>http://127.0.0.1:' + camera.port + '/onvif/device_service</d:XAddrs></d:ProbeMatch></d:ProbeMatches></s:Body></s:Envelope>', port, address);
});
socket.bind(3702, () => {
  socket.addMembership('239.255.255.250', '127.0.0.1');
  console.log('ready');
});
`;

const SEARCHED = `
ip link set lo up; ip link set lo multicast on; ip route add 224.0.0.0/4 dev lo; ip route add default via 127.0.0.1 dev lo
"$1" --disable-warning=ExperimentalWarning found.ts > found.log 2>&1 &
camera=$!
until grep -q ready found.log; do kill -0 $camera || exit 1; sleep 0.1; done
onvif-util -a
printf 'get profiles\\nget time\\nquit\\n' | onvif-util -u panel -p s3cret 127.0.0.1
kill $camera
`;

test("should have a double that Debian's onvif-util finds, logs in to and reads", async (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root, for a network of its own');
  await writeFile(
    join(folder, 'found.ts'),
    FOUND(JSON.stringify(join(import.meta.dirname, '../testing/onvifCamera.ts'))),
  );
  await writeFile(join(folder, 'search.sh'), SEARCHED);
  const { output } = await runProgram(folder, 'unshare', ['-n', 'sh', 'search.sh', process.execPath]);
  for (const said of [
    '127.0.0.1 (Door D1)',
    'successfully connected to host',
    'Token 0: main',
    'Time Offset: 0 seconds',
  ])
    assert.ok(output.includes(said), output);
});
