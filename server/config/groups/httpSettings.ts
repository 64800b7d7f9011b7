import { z } from 'zod';
import { type CommandName, outsideCommands } from '../../contract/commands.ts';
import { origin, port, setting } from './setting.ts';

/** A command that can come from outside, by its name in the API. */
const approvable = z.enum(outsideCommands as [CommandName, ...CommandName[]], {
  error: 'must be the name of a command that is called over HTTP or MQTT, such as system.reboot',
});
/** Endings that the public DNS lacks (RFC 6762 section 3 and appendix G, `internal`): no name below them is for sale. */
const HOUSE_ENDINGS = ['local', 'lan', 'home', 'internal', 'localdomain', 'intranet', 'private', 'corp'];
/**
 * Lower case or not, without port; `*` stands for any number of labels, but never for all names of an ending that
 * anybody can have a name below: such a one may lead here (DNS rebinding).
 */
const allowedHost = z
  .string()
  .max(253)
  .regex(
    /^(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62}))*$/,
    'must be a host name such as panel.lan, or *.example.org',
  )
  .refine((host) => {
    const ending = host.startsWith('*.') ? host.slice(2).toLowerCase() : undefined;
    return ending === undefined || ending.includes('.') || HOUSE_ENDINGS.includes(ending);
  }, 'must have two labels after *., as in *.example.org, or one of a house such as *.lan');

/** The settings of HTTP and HTTPS, and who may call. */
export const httpSettingDeclarations = {
  'http.host': setting({
    schema: z.union([z.ipv4(), z.ipv6(), z.literal('localhost')]),
    kind: 'text',
    default: '0.0.0.0',
    opens: true,
    description: 'Address that the HTTP server listens on, in addition to loopback.',
  }),
  'http.port': setting({
    schema: port,
    kind: 'integer',
    default: 8080,
    description: 'Port of the HTTP server; 0 uses any free port.',
  }),
  'http.plain': setting({
    schema: z.enum(['all', 'loopback']),
    kind: 'text',
    default: 'all',
    owner: true,
    description:
      'Who may connect over plain HTTP; loopback: only this machine, while HTTPS is on. Without HTTPS, everyone may.',
  }),
  'http.announce': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: true,
    live: true,
    description: 'Whether the panel announces its address on the network by mDNS, as _faceplate._tcp.',
  }),
  'http.announceInterface': setting({
    schema: z.union([z.literal(''), z.ipv4(), z.string().regex(/^[^\s/]{1,15}$/)], {
      error: 'must be the name of an interface such as eth0, or its IPv4 address',
    }),
    kind: 'text',
    default: '',
    live: true,
    description:
      'Interface for this announcement: its name or address. Without it, all that http.host covers except loopback.',
  }),
  'http.allowedOrigins': setting({
    schema: z.array(origin),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description: 'Browser origins that may call the API, in addition to the active project.',
  }),
  'http.allowedHosts': setting({
    schema: z.array(allowedHost).max(64),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description: 'More names of this panel, such as panel.lan; *.example.org includes all names below it.',
  }),
  'https.port': setting({
    schema: z.union([z.literal('off'), port]),
    kind: 'integer',
    default: 'off',
    owner: true,
    description: 'Port of the same API over HTTPS; 0 uses any free port.',
  }),
  'ir.itachPort': setting({
    schema: z.union([z.literal('off'), port]),
    kind: 'integer',
    default: 'off',
    owner: true,
    opens: true,
    description:
      'Port at which programs of the local network use the infrared senders as those of an iTach, without a login; 4998 is usual, 0 takes any free one.',
  }),
  'https.certificate': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    owner: true,
    description:
      'PEM file of the certificate, with the intermediate certificates; without it, the panel makes its own.',
  }),
  'https.key': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    owner: true,
    description: 'PEM file of the private key of https.certificate.',
  }),
  token: setting({
    schema: z.string().regex(/^(?:[!-~]{16,256})?$/, 'must be 16 to 256 printable characters without blanks'),
    kind: 'text',
    default: '',
    secret: true,
    owner: true,
    description:
      'Bearer token of the API; without it, the first start makes one and stores it in <dataDir>/token.',
  }),
  'approval.commands': setting({
    schema: z.array(approvable).max(outsideCommands.length),
    kind: 'list',
    default: [],
    live: true,
    owner: true,
    description:
      'Commands that need approval at the panel when they are called from outside, such as system.reboot, terminal.exec.',
  }),
} as const;
