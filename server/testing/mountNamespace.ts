import { spawnSync } from 'node:child_process';

/** Reason to skip a test that mounts something for one process alone (unshare(1)), or false. */
export const skipWithoutMounts: string | false =
  spawnSync('unshare', ['-m', 'true']).status === 0
    ? false
    : 'needs its own mount namespace: root, and not in a chroot';
