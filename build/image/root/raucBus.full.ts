import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';

const missing =
  (process.getuid?.() !== 0 && 'needs root, to be somebody else') ||
  (!['/usr/bin/dbus-daemon', '/usr/bin/dbus-send', '/usr/bin/setpriv'].every(existsSync) && 'needs D-Bus');
const OURS = join(import.meta.dirname, '../overlay/etc/dbus-1/system.d/faceplate-rauc.conf');
/** As the package rauc-service has it. */
const RAUC = `<busconfig>
<policy context="default"><allow send_destination="de.pengutronix.rauc"/></policy>
<policy user="root"><allow own="de.pengutronix.rauc"/></policy>
</busconfig>`;

test('security: should let root alone ask RAUC, whatever its package allows', { skip: missing }, async () => {
  const folder = temporaryFolder('bus');
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o755);
  file('rauc.conf', RAUC);
  file('ours.conf', readFileSync(OURS, 'utf8'));
  // The bus would start it: who may ask gets as far as its failure.
  file('de.pengutronix.rauc.service', '[D-BUS Service]\nName=de.pengutronix.rauc\nExec=/bin/false\n');
  const bus = (rules: string) => `<busconfig>
    <listen>unix:path=${folder}/bus</listen><servicedir>${folder}</servicedir>
    <policy context="default"><allow user="*"/><deny own="*"/><deny send_type="method_call"/>
    <allow send_destination="org.freedesktop.DBus"/><allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/><allow receive_type="method_return"/><allow receive_type="error"/></policy>
    <include>${folder}/rauc.conf</include>${rules}</busconfig>`;
  const ask = (uid: number): string => {
    const send = ['dbus-send', `--bus=unix:path=${folder}/bus`, '--print-reply', '--reply-timeout=8000'];
    const call = ['--dest=de.pengutronix.rauc', '/', 'de.pengutronix.rauc.Installer.InstallBundle'];
    try {
      const args = [`--reuid=${uid}`, '--clear-groups', ...send, ...call];
      return execFileSync('setpriv', args, { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return String((error as { stderr?: string }).stderr);
    }
  };
  const answers = async (rules: string) => {
    file('bus.conf', bus(rules));
    const daemon = spawn('dbus-daemon', [`--config-file=${folder}/bus.conf`, '--nofork', '--print-address'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      await new Promise((resolve) => daemon.stdout.once('data', resolve));
      return { root: ask(0), nobody: ask(65_534) };
    } finally {
      const ended = new Promise((resolve) => daemon.once('exit', resolve));
      daemon.kill();
      await ended;
    }
  };
  const before = await answers('');
  assert.match(before.nobody, /Spawn|ChildExited|ServiceUnknown/);
  const after = await answers(`<include>${folder}/ours.conf</include>`);
  assert.match(after.nobody, /AccessDenied/);
  assert.match(after.root, /Spawn|ChildExited/);
});
