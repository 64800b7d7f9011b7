import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwnersAlone, OUTSIDE_ONLY, type SettingKey, settingDeclarations } from './settings.ts';
import { comesBack } from './takenBack.ts';

const keys = Object.keys(settingDeclarations) as SettingKey[];

/** Why each of the owner's settings may come back although it lets code or a person in. */
const REASONS: Readonly<Partial<Record<SettingKey, string>>> = {
  board: 'the panel does not start with a profile that is not there',
  'bridge.aliases': 'a name that the page needs for itself; who gets the bridge is another setting',
  host: 'what is not installed shows nothing',
  'kiosk.browserArguments': 'from the list of allowed ones, then and now',
  'kiosk.inject': 'only what was there and is still wished',
  'kiosk.user': 'the browser does not start as a user who is not there',
};

test('security: what lets code or a person in comes back only with a reason', () => {
  assert.deepEqual(
    keys.filter((key) => isOwnersAlone(key) && comesBack(key)),
    keys.filter((key) => Object.hasOwn(REASONS, key)),
  );
});

test('security: no secret comes back, nothing that one is sent to, and nothing that is set from outside alone', () => {
  const back = keys.filter(comesBack);
  assert.deepEqual(
    back.filter((key) => 'secret' in settingDeclarations[key] || OUTSIDE_ONLY.includes(key)),
    [],
  );
  assert.deepEqual(
    back.filter((key) => /^(?:http|https|mqtt|sip|update|token|terminal|approval)\b/.test(key)),
    [],
  );
  assert.ok(back.length > 20, 'what is shown, and how, does come back');
});
