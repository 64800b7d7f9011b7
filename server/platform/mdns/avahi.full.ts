import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { skipWithoutMounts } from '../../testing/mountNamespace.ts';

/** Avahi with a network, a bus and a /run of its own; `$@` is the panel. Prints what avahi-browse finds. */
const SCRIPT = `
  mount -t tmpfs none /run && mkdir -p /run/dbus /run/avahi-daemon && ip link set lo up || exit 9
  dbus-daemon --system --nofork --nopidfile & bus=$!
  for i in $(seq 50); do [ -S /run/dbus/system_bus_socket ] && break; sleep 0.1; done
  avahi-daemon --no-drop-root --no-chroot --no-rlimits >&2 & avahi=$!
  "$@" & panel=$!
  look() { timeout 10 avahi-browse --resolve --parsable --terminate _faceplate._tcp; }
  for i in $(seq 20); do look | grep '^=' && break; sleep 0.5; done
  kill $panel; wait $panel
  for i in $(seq 10); do [ -z "$(look)" ] && echo gone && break; sleep 0.5; done
  kill $avahi $bus; wait`;

const PANEL = `
  import { PanelAnnouncer } from '${new URL('./panelAnnouncer.ts', import.meta.url).href}';
  import { systemClock } from '${new URL('../clock.ts', import.meta.url).href}';
  import { silentLogger } from '${new URL('../log.ts', import.meta.url).href}';
  const text = { version: '1.2.3', board: 'simulated', path: '/manage/', id: '00c0ffee0001' };
  const announcer = new PanelAnnouncer({ clock: systemClock, log: silentLogger(),
    announced: () => ({ name: 'Hall', host: '0.0.0.0', interfaceName: 'lo', port: 8080, text }) });
  await announcer.start();
  process.on('SIGTERM', () => announcer.stop());`;

test('should be seen by avahi-browse, and gone after the stop', { skip: skipWithoutMounts }, () => {
  const panel = [process.execPath, '--input-type=module', '-e', PANEL];
  const child = spawnSync('unshare', ['-n', '-m', 'sh', '-c', SCRIPT, 'sh', ...panel], { encoding: 'utf8' });
  const [found = '', gone] = child.stdout.trim().split('\n');
  const [, , protocol, name, type, domain, host, address, port, text = ''] = found.split(';');
  assert.deepEqual(
    [protocol, name, type, domain, address, port],
    ['IPv4', 'Hall', '_faceplate._tcp', 'local', '127.0.0.1', '8080'],
    child.stderr,
  );
  assert.match(host ?? '', /\.local$/);
  assert.deepEqual([...text.matchAll(/"([^"]*)"/g)].map(([, entry]) => entry).sort(), [
    'board=simulated',
    'id=00c0ffee0001',
    'path=/manage/',
    'version=1.2.3',
  ]);
  assert.equal(gone, 'gone', child.stderr);
});
