import { z } from 'zod';
import { accountList, allowedPeer, displayText, doorList } from '../../intercom/settingsContract.ts';
import { extensionField } from '../../intercom/sipContract.ts';
import { port, type SecretPlace, setting } from './setting.ts';

const address = z.union([z.literal(''), z.ipv4(), z.ipv6()], { message: 'must be an IP address' });
/** Empty; or a host name, an IPv4 address, or an IPv6 address in brackets, then a port. */
const HOST_AND_PORT =
  /^(?:(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(?::[0-9]{1,5})?)?$/;

function registrarPlace(registrar: unknown, transport: unknown): SecretPlace | null {
  if (typeof registrar !== 'string' || registrar === '') return null;
  const isEncrypted = transport === 'tls';
  const usualPort = isEncrypted ? 5061 : 5060;
  const [, host = '', port = usualPort] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(registrar.toLowerCase()) ?? [];
  return { server: `${host}:${Number(port)}`, isEncrypted };
}

/** The settings of the intercom. */
export const sipSettingDeclarations = {
  'sip.enabled': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description: 'Whether the panel works as an intercom.',
  }),
  'sip.port': setting({
    schema: port,
    kind: 'integer',
    default: 5060,
    description: 'SIP port for UDP and TCP; TLS uses the next one. 0 uses any free port.',
  }),
  'sip.host': setting({
    schema: address,
    kind: 'text',
    default: '',
    description: 'Address that SIP and RTP listen on; without it, all.',
  }),
  'sip.deviceName': setting({
    schema: displayText,
    kind: 'text',
    default: '',
    description: 'Name that other panels and phones see; the default is device.name.',
  }),
  'sip.registrar': setting({
    schema: z.string().regex(HOST_AND_PORT, 'must be a host or an address, with or without a port'),
    kind: 'text',
    default: '',
    description: 'PBX where the panel registers: host name or address, port optional.',
  }),
  'sip.username': setting({
    schema: z.union([z.literal(''), extensionField]),
    kind: 'text',
    default: '',
    description: "The panel's extension, also without a registrar; the default is panel.",
  }),
  'sip.password': setting({
    schema: z.string().regex(/^[\x20-\x7e]{0,128}$/, 'must be at most 128 printable ASCII characters'),
    kind: 'text',
    default: '',
    secret: true,
    place: { settings: ['sip.registrar', 'sip.transport'], of: registrarPlace },
    description: 'Password at the registrar; sent nowhere else, and never in clear text.',
  }),
  'sip.transport': setting({
    schema: z.enum(['udp', 'tcp', 'tls']),
    kind: 'text',
    default: 'udp',
    description:
      'Transport to the registrar, or without one to all others: udp, tcp or tls. With tls, the panel also accepts TLS connections.',
  }),
  'sip.srtpOverUdp': setting({
    schema: z.enum(['off', 'known', 'any']),
    kind: 'text',
    default: 'off',
    description:
      'Callers whose encrypted sound (RTP/SAVP) is accepted without TLS, although others on the network can read its keys: off, known (sip.allow, sip.doors, the registrar) or any.',
  }),
  'sip.allow': setting({
    schema: z.array(allowedPeer),
    kind: 'list',
    default: [],
    description:
      'Addresses, or networks such as 192.168.1.0/24, that may call; with sip.autoAnswer, the panel answers them automatically.',
  }),
  'sip.allowLan': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description: "Whether everyone on the panel's networks may call.",
  }),
  'sip.autoAnswer': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description:
      'Whether the panel answers calls of sip.allow without a touch, with a tone and without the camera.',
  }),
  'sip.discovery': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: true,
    description: 'Find other panels, and be found, by mDNS.',
  }),
  'sip.discoveryInterface': setting({
    schema: z.union([z.literal(''), z.ipv4()], { message: 'must be an IPv4 address' }),
    kind: 'text',
    default: '',
    description: 'Address of the interface for this discovery; without it, all.',
  }),
  'sip.doors': setting({
    schema: doorList,
    kind: 'json',
    default: [],
    secret: true,
    description:
      'Doors that are opened from the panel, a JSON list of {name, peer, dtmf, gapMs, url, preview}; docs/intercom.md explains the fields.',
  }),
  'sip.registrarServer': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description: 'Whether door stations can register at the panel itself.',
  }),
  'sip.registrarAccounts': setting({
    schema: accountList,
    kind: 'json',
    default: [],
    secret: true,
    description: 'Accounts of these door stations, a JSON list of {username, password}.',
  }),
  'sip.panelSecret': setting({
    schema: z
      .string()
      .regex(/^(?:[\x20-\x7e]{16,128})?$/, 'must be 16 to 128 printable ASCII characters, or nothing'),
    kind: 'text',
    default: '',
    secret: true,
    opens: true,
    description:
      'Intercom shared key of the panels of a house, 16 characters or more: panels with it may call each other and speak to all.',
  }),
} as const;
