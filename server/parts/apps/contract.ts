import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

/** Name of a package on the API; packages with other names are neither listed nor run. */
export const packageName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/, 'must be a package name such as org.gnome.Calculator');

export const appEntry = z.strictObject({ packageName, label: z.string(), isSystem: z.boolean() });
export type AppEntry = z.infer<typeof appEntry>;

/** Its events. */
export const appsEvents = {
  apps: z.array(appEntry),
};
/** Their use on a broker. */
export const appsBroker = {
  apps: 'none',
} as const;
/** The states that a new listener gets first. */
export const appsSnapshot = {
  apps: z.array(appEntry).optional(),
};

export const appsCommands = {
  'apps.list': defineCommand({
    summary: 'The installed packages.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({ apps: z.array(appEntry) }),
    errors: ['UNSUPPORTED_HARDWARE'],
    http: { method: 'GET', path: '/api/remote/apps/system' },
    page: [
      { kind: 'method', object: 'MobileBridge', method: 'oemGetInstalledApps', args: [], jsonOf: 'apps' },
    ],
  }),
  'apps.launch': defineCommand({
    summary: 'Start a package; the kiosk returns to the front when it ends.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z.strictObject({ packageName }),
    result: z.strictObject({ status: z.literal('launched') }),
    errors: ['PACKAGE_NOT_FOUND', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/apps/launch' },
    page: [
      { kind: 'method', object: 'container', method: 'launchApp', args: ['packageName'] },
      { kind: 'method', object: 'MobileBridge', method: 'oemLaunchApp', args: ['packageName'] },
    ],
  }),
  'apps.install': defineCommand({
    summary: 'Install a package file that is below apps.installDir.',
    access: { scope: 'manage', http: 'token', page: 'bridge.allowInstall', mqtt: 'allowed' },
    params: z.strictObject({ path: z.string().min(1).max(4096) }),
    result: z.strictObject({ status: z.literal('installed'), packageName }),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'STORAGE_FULL', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    timeoutMs: 300_000,
    http: { method: 'POST', path: '/api/remote/apps/install' },
    page: [{ kind: 'method', object: 'MobileBridge', method: 'oemInstallApk', args: ['path'] }],
  }),
  'apps.uninstall': defineCommand({
    summary: 'Remove a package; system packages are refused.',
    access: { scope: 'manage', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z.strictObject({ packageName }),
    result: z.strictObject({ status: z.literal('uninstalled') }),
    errors: ['FORBIDDEN', 'PACKAGE_NOT_FOUND', 'CONFLICT', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    timeoutMs: 300_000,
    http: { method: 'DELETE', path: '/api/remote/apps/system/:packageName' },
    page: [
      { kind: 'method', object: 'container', method: 'uninstallApp', args: ['packageName'] },
      { kind: 'method', object: 'MobileBridge', method: 'oemUninstallApp', args: ['packageName'] },
    ],
  }),
};
