import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Settings } from '../../config/settings.ts';
import { panelForTests } from '../testing/panelForTests.ts';
import { recoverySettingsOf } from './recoverySettings.ts';

describe('recovery settings', () => {
  test('should use 60 % of the memory of the panel when no limit is set, and else the set limit', () => {
    let limit: Settings['kiosk.memoryLimit'] = 'auto';
    const recoverySettings = recoverySettingsOf(
      () => ({ 'kiosk.memoryLimit': limit }) as Settings,
      () => panelForTests,
      async () => false,
      2_000 * 1024 * 1024,
    );
    assert.equal(recoverySettings.memoryLimit(), 1_200);
    limit = 0;
    assert.equal(recoverySettings.memoryLimit(), 0);
    limit = 800;
    assert.equal(recoverySettings.memoryLimit(), 800);
  });
});
