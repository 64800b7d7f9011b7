import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { loadSettings } from '../config/loadSettings.ts';
import { SettingsStore } from '../config/settingsStore.ts';
import { systemClock } from '../platform/clock.ts';
import { EventBus } from '../platform/eventBus.ts';
import { StrangersLog } from '../platform/limits.ts';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { Mqtt } from './mqtt.ts';

/** Whether MQTT.js was loaded by anything in this process. */
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/node_modules/mqtt/'));

describe('MQTT at the start', () => {
  test('should load nothing of it until there is a broker, and follow its settings live', async () => {
    const dataDir = temporaryFolder('mqtt');
    const log = silentLogger();
    const store = new SettingsStore(loadSettings(['--dataDir', dataDir], {}, '1.0.0'), log);
    const mqtt = new Mqtt({ store, panelId: '0123456789ab', dataDir, log });
    await mqtt.open({
      dispatch: async () => assert.fail('must not run'),
      noteRefused: () => assert.fail('must not run'),
      bus: new EventBus(log),
      fleet: { attach: () => {} },
      clock: systemClock,
      panel: {
        info: () => assert.fail('must not run'),
        snapshot: () => assert.fail('must not run'),
        health: async () => assert.fail('must not run'),
        projects: () => assert.fail('must not run'),
        sip: async () => undefined,
        update: () => undefined,
        rollout: () => undefined,
        joins: () => [],
        onJoinsGone: () => {},
        onInput: () => () => {},
      },
      sources: {
        info: () => assert.fail('must not run'),
        parts: { facts: () => assert.fail('must not run'), services: {} as never },
        store,
        kiosk: {} as never,
      },
      strangers: new StrangersLog(log),
    });
    assert.deepEqual(mqtt.facts(), {
      state: 'off',
      reason: null,
      id: '0123456789ab',
      groups: [],
      entities: null,
    });
    await store.change({ mqtt: { groups: ['ground'], id: 'hall' } }, { isOwner: true });
    assert.equal(isLoaded(), false);
    // Nobody listens on port 1.
    await store.change({ mqtt: { url: 'mqtt://127.0.0.1:1' } }, { isOwner: true });
    await mqtt.idle();
    assert.equal(isLoaded(), true);
    assert.equal(mqtt.facts().state, 'connecting');
    assert.deepEqual(mqtt.facts().groups, ['ground']);
    await store.change({ mqtt: { url: null } }, { isOwner: true });
    await mqtt.idle();
    assert.equal(mqtt.facts().state, 'off');
    await mqtt.stop();
  });
});
