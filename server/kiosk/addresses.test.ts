import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeAddress } from './addresses.ts';

const project = { id: 'lobby', origin: 'http://lobby.localhost:8080' };
const nothing = { url: '', project, parameters: '', projectParameters: {} };

test('should be the project when kiosk.url is not set, unchanged without parameters', () => {
  assert.equal(homeAddress(nothing), 'http://lobby.localhost:8080/');
  assert.equal(homeAddress({ ...nothing, url: 'https://hub.local/a' }), 'https://hub.local/a');
});

test('should add the parameters of the project before those of the panel, and no other project’s', () => {
  const projectParameters = { lobby: 'room=12', other: 'room=13', toString: 'x=1' };
  const asked = { ...nothing, parameters: 'lang=de&room=0', projectParameters };
  assert.equal(homeAddress(asked), 'http://lobby.localhost:8080/?room=12&lang=de&room=0');
  const hostile = { ...asked, project: { ...project, id: 'valueOf' } };
  assert.equal(homeAddress(hostile), 'http://lobby.localhost:8080/?lang=de&room=0');
});

test('should keep query and fragment of kiosk.url, and their encoding', () => {
  const asked = {
    ...nothing,
    url: 'https://hub.local/a%20b?q=%26&kiosk#/view?tab=1',
    parameters: 'lang=d%C3%A9',
    projectParameters: { lobby: 'room=12' },
  };
  assert.equal(homeAddress(asked), 'https://hub.local/a%20b?q=%26&kiosk&lang=d%C3%A9#/view?tab=1');
});
