import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlSocket } from './swayIpc.ts';

test('should control the screen of the Debian package, and no sway of a desk', () => {
  const path = '/run/faceplate-display/control/ipc.sock';
  assert.equal(controlSocket({ WAYLAND_DISPLAY: '/run/faceplate-display/wayland-1' }), path);
  assert.equal(
    controlSocket({ WAYLAND_DISPLAY: 'wayland-1', SWAYSOCK: '/run/user/1000/sway.sock' }),
    undefined,
  );
});
