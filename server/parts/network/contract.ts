import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { CONTROLS, noParams } from '../../contract/fields.ts';

/** Seconds after which an unconfirmed change of the network is undone. */
export const CONFIRM_SECONDS = 60;

const interfaceName = z
  .string()
  .regex(new RegExp(`^[^\\s/:${CONTROLS}]{1,15}$`), 'must be the name of a network interface, such as eth0');
const address = z.union([z.ipv4(), z.ipv6()]);
const ssid = z
  .string()
  .min(1)
  .refine((text) => new TextEncoder().encode(text).length <= 32, 'must be at most 32 bytes in UTF-8');

const networkInterface = z.strictObject({
  name: z.string(),
  type: z.enum(['ethernet', 'wifi', 'other']),
  state: z.enum(['unavailable', 'disconnected', 'connecting', 'connected', 'failed', 'unmanaged']),
  mac: z.string().nullable(),
  method: z
    .enum(['auto', 'manual', 'other'])
    .nullable()
    .describe('of IPv4; null: the interface has no connection'),
  addresses: z.array(z.string()).describe('with prefix, such as 192.168.1.20/24; IPv4 first'),
  gateway: z.string().nullable(),
  dns: z.array(z.string()),
  wifi: z.strictObject({ ssid: z.string(), signal: z.int().min(0).max(100) }).nullable(),
});
export type NetworkInterface = z.infer<typeof networkInterface>;

const connectivity = z.enum(['unknown', 'none', 'portal', 'limited', 'full']);
/** How far the network reaches, in the words and the order of NMConnectivityState (nm-dbus-types). */
export const connectivities = connectivity.options;
export type Connectivity = z.infer<typeof connectivity>;

const networkState = z.strictObject({
  hostname: z.string(),
  connectivity: connectivity.describe(
    'what NetworkManager found at its last look; portal: the network wants a login in a browser first; unknown: it does not look',
  ),
  interfaces: z.array(networkInterface),
});
export type NetworkState = z.infer<typeof networkState>;

const wifiNetwork = z.strictObject({
  ssid: z.string(),
  signal: z.int().min(0).max(100).describe('percent'),
  security: z.enum(['none', 'wep', 'wpa', 'wpa2', 'wpa3', 'enterprise']),
  active: z.boolean(),
});
export type WifiNetwork = z.infer<typeof wifiNetwork>;
const wifiNetworks = z.strictObject({ networks: z.array(wifiNetwork).describe('the strongest first') });

const networkChange = z
  .strictObject({
    interface: interfaceName,
    method: z.enum(['auto', 'manual']),
    address: z.ipv4().optional(),
    prefix: z.int().min(1).max(32).optional(),
    gateway: z.ipv4().optional(),
    dns: z.array(address).max(8).optional().describe('with auto: instead of those that the network names'),
  })
  .superRefine(({ method, ...fields }, context) => {
    const needed = ['address', 'prefix'] as const;
    const refused = method === 'auto' ? (['address', 'prefix', 'gateway'] as const) : [];
    for (const field of method === 'manual' ? needed : [])
      if (fields[field] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'is needed with "manual"' });
    for (const field of refused)
      if (fields[field] !== undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'comes from the network with "auto"' });
  });
export type NetworkChange = z.infer<typeof networkChange>;

export const networkCommands = {
  'network.state': defineCommand({
    summary: 'The network interfaces of the panel, as NetworkManager has them.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: noParams,
    result: networkState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    timeoutMs: 15_000,
    http: { method: 'GET', path: '/api/manage/network' },
  }),
  'network.change': defineCommand({
    summary: `Change the IPv4 address of an interface; after ${CONFIRM_SECONDS} s it is what it was before, unless network.confirm comes.`,
    access: { scope: 'manage', http: 'token' },
    params: networkChange,
    result: networkState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'NOT_FOUND', 'CONFLICT'],
    timeoutMs: 45_000,
    http: { method: 'POST', path: '/api/manage/network' },
  }),
  'network.confirm': defineCommand({
    summary: 'Keep the last change of the network.',
    access: { scope: 'manage', http: 'token' },
    params: noParams,
    result: z.strictObject({ status: z.literal('confirmed') }),
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT'],
    timeoutMs: 15_000,
    http: { method: 'POST', path: '/api/manage/network/confirm' },
  }),
  'network.wifi': defineCommand({
    summary: 'The Wi-Fi networks in reach; looks for them anew.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: noParams,
    result: wifiNetworks,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    timeoutMs: 30_000,
    http: { method: 'GET', path: '/api/manage/network/wifi' },
  }),
  'network.join': defineCommand({
    summary: 'Join a Wi-Fi network; when that fails, the panel is back where it was.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      ssid,
      password: z
        .string()
        .regex(/^[\x20-\x7e]{8,64}$/, 'must be 8 to 64 printable ASCII characters')
        .meta({ secret: true })
        .optional(),
      hidden: z.boolean().optional().describe('the network does not tell its name: it is asked for by it'),
    }),
    result: wifiNetworks,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'NOT_FOUND', 'CONFLICT'],
    timeoutMs: 75_000,
    http: { method: 'POST', path: '/api/manage/network/wifi' },
  }),
};
