import { z } from 'zod';
import { scopes } from '../../contract/access.ts';
import { brokerName, panelBrokerId } from '../../surfaces/mqtt/contract.ts';
import { HIDDEN_WORDS, hasHiddenPart, serverOf, setting } from './setting.ts';

const path = z.string().max(4_096);
const schemes = /^(?:mqtts?|wss?):$/;

const brokerUrl = z
  .string()
  .refine(
    (text) => {
      if (text === '') return true;
      if (text.length > 2_000 || !URL.canParse(text)) return false;
      const { protocol, hostname, username, password } = new URL(text);
      return schemes.test(protocol) && hostname !== '' && username === '' && password === '';
    },
    {
      message:
        'must be an address such as mqtt://broker.lan:1883 (mqtt, mqtts, ws or wss), without user and password',
    },
  )
  .refine((text) => !hasHiddenPart(text), { message: HIDDEN_WORDS });
/** Levels of a topic: no wildcards, none empty, none that begins with $. */
const topicPrefix = z
  .string()
  .max(255)
  .regex(/^[^#+\s/$][^#+\s/]*(?:\/[^#+\s/]+)*$/, 'must be levels of a topic, such as house/panels');

/** The settings of the broker that the panel is connected to. */
export const mqttSettingDeclarations = {
  'mqtt.url': setting({
    schema: brokerUrl.meta({
      pattern: '^(?:(?:mqtts?|wss?)://[A-Za-z0-9.-]+(?::[0-9]{1,4})?(?:/[!-~]*)?)?$',
    }),
    kind: 'text',
    default: '',
    live: true,
    hides: 'queries',
    description:
      'Address of the MQTT broker: mqtt://, mqtts://, ws:// or wss://. Without it, there is no MQTT.',
  }),
  'mqtt.username': setting({
    schema: z.string().max(256),
    kind: 'text',
    default: '',
    live: true,
    description: 'User at the broker.',
  }),
  'mqtt.password': setting({
    schema: z.string().max(1_024),
    kind: 'text',
    default: '',
    secret: true,
    place: serverOf('mqtt.url'),
    live: true,
    description: 'Password at the broker.',
  }),
  'mqtt.authorities': setting({
    schema: z.union([path, z.array(path.min(1)).max(16)]),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description: "PEM files of certificate authorities to trust for the broker, in addition to the system's.",
  }),
  'mqtt.certificate': setting({
    schema: path,
    kind: 'text',
    default: '',
    live: true,
    opens: true,
    description: "PEM file of the panel's own certificate, for a broker that asks for one.",
  }),
  'mqtt.key': setting({
    schema: path,
    kind: 'text',
    default: '',
    live: true,
    opens: true,
    description: 'PEM file of the private key of mqtt.certificate.',
  }),
  'mqtt.prefix': setting({
    schema: topicPrefix,
    kind: 'text',
    default: 'faceplate',
    live: true,
    description: 'First levels of all topics of the panels.',
  }),
  'mqtt.id': setting({
    schema: z.union([z.literal(''), panelBrokerId]),
    kind: 'text',
    default: '',
    live: true,
    description: "The panel's name in its topics; without it, the panel's id.",
  }),
  'mqtt.scopes': setting({
    schema: z.array(z.enum(scopes)).max(scopes.length),
    kind: 'list',
    default: ['view', 'control'],
    live: true,
    opens: true,
    description: 'What callers on the broker may do: view, control, manage, terminal, doors.',
  }),
  'mqtt.groups': setting({
    schema: z.array(brokerName).max(64),
    kind: 'list',
    default: [],
    live: true,
    description: 'Groups that the panel belongs to.',
  }),
  'mqtt.discovery': setting({
    schema: z.union([z.literal(''), topicPrefix]),
    kind: 'text',
    default: 'homeassistant',
    live: true,
    description: 'Discovery prefix of Home Assistant; empty: no discovery.',
  }),
  'mqtt.fleet': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    live: true,
    opens: true,
    description: 'Whether this panel lists the others on the broker and may roll out to them.',
  }),
};
