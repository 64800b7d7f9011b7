/** The folder of the screen's session on an installed panel: build/linux/tmpfiles.conf. */
const FOLDER = '/run/faceplate-display';

/**
 * The control socket of the compositor where the screen is that of the Debian package, whose configuration is ours. The sway
 * of somebody's desk is left alone. The socket stands in no environment: the browser has the same user's groups but not ours.
 */
export function controlSocket(env: NodeJS.ProcessEnv): string | undefined {
  return env.WAYLAND_DISPLAY === `${FOLDER}/wayland-1` ? `${FOLDER}/control/ipc.sock` : undefined;
}
