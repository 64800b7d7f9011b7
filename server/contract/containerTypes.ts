import { sipStatus } from '../intercom/sipContract.ts';
import { streamTypes } from '../video/contract.ts';
import { commandList } from './commands.ts';
import { catalogue } from './errors.ts';
import { events, snapshot } from './events.ts';
import { jsonSchema } from './openapi.ts';

/**
 * The types of `window.container` that page authors download: `container.d.ts`, made from the contract.
 * @throws Error for a command with a name in the page that the page may not call
 */
export function containerTypes(version: string): string {
  const actions: string[] = [];
  const results: string[] = [];
  const called: string[] = [];
  const methods = { container: [] as string[], sip: [] as string[], MobileBridge: [] as string[] };
  for (const [name, command] of commandList) {
    if (command.page && !command.access.page)
      throw new Error(`${name} has a name in the page, but its access does not name the page.`);
    const params = jsonSchema(command.params, 'input') as Schema;
    const result =
      command.result === sipStatus
        ? 'SipStatus'
        : typeText(jsonSchema(command.result, 'output') as Schema, '  ');
    if (command.access.page) {
      const given = typeText(params, '    ');
      called.push(
        `  /** ${command.summary} */\n  '${name}': {\n    params: ${given};\n    result: ${result.replaceAll('\n', '\n  ')};\n  };`,
      );
    }
    for (const surface of command.page ?? []) {
      if (surface.kind === 'action') {
        // Page scripts answer what pages send to streamBridge and about videos: streamTypes, sipTypes.
        if (surface.object !== 'gpioBridge') continue;
        const text = actionText(surface.action, params, Object.keys(surface.fixed ?? {}));
        actions.push(`  /** ${command.summary} */\n  ${surface.action}: ${text};`);
        results.push(`  ${surface.action}: ${result};`);
      } else {
        const args = surface.args
          .map((arg) => {
            // Fields of which exactly one is needed (hex or text) are not optional arguments.
            const isOptional = surface.object === 'sip' && !params.required?.includes(arg);
            return `${arg}${isOptional ? '?' : ''}: ${typeText(params.properties?.[arg] ?? {}, '  ')}`;
          })
          .join(', ');
        const answer = surface.jsonOf ? 'string' : result;
        methods[surface.object].push(
          `  /** ${command.summary}${surface.jsonOf ? ` Resolves with JSON text: \`${surface.jsonOf}\` of the answer.` : ''} */\n  ${surface.method}(${args}): Promise<${answer}>;`,
        );
      }
    }
  }
  const payloads = Object.entries({ snapshot, ...events }).map(
    ([name, schema]) => `  ${name}: ${typeText(jsonSchema(schema, 'output') as Schema, '  ')};`,
  );
  return `// Types of window.container, Faceplate ${version}. Made from the contract by build/generate/main.ts; do not edit.

/** Codes of a rejected promise's \`error.code\`. */
type ContainerErrorCode =
${Object.keys(catalogue)
  .map((code) => `  | '${code}'`)
  .join('\n')};

interface ContainerError extends Error {
  code: ContainerErrorCode;
  /** Path of the bad field, where there is one. */
  field?: string;
}

/** Fields of each action of \`gpioBridge.postMessage\`, besides \`action\`. */
interface GpioActions {
${actions.join('\n')}
}

/** What each action answers. */
interface GpioResults {
${results.join('\n')}
}

/** What \`container.call\` takes and answers, by the name of the command. */
interface ContainerCommands {
${called.join('\n')}
}

/** Params that may be left out, because the command needs none. */
type CallParams<P> = Record<string, never> extends P ? [params?: P] : [params: P];

/** Payloads of \`container.on\`. \`snapshot\` comes once, to each new listener of it. */
interface ContainerEvents {
${payloads.join('\n')}
}

type LedState = ContainerEvents['led'];
type PinState = ContainerEvents['gpio'];
type SerialPortState = ContainerEvents['serial'];
type StreamSession = ContainerEvents['stream'];

interface GpioBridge {
  /**
   * Sends one action as JSON, such as \`{"action":"write","pin":2,"level":1}\`. The promise resolves with the answer; the
   * same answer, as a JSON string, reaches \`onmessage\` and the message listeners.
   */
  postMessage(json: string): Promise<GpioResults[keyof GpioResults]>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}

${streamTypes}
interface SipStatus ${typeText(jsonSchema(sipStatus, 'output') as Schema, '')}

${sipTypes}
/** The intercom. Every method rejects with SIP_DISABLED while the setting sip.enabled is off. */
interface Sip {
${methods.sip.join('\n')}
${sipMembers}}

interface Container {
  readonly gpioBridge: GpioBridge;
  readonly streamBridge: StreamBridge;
  readonly sip: Sip;
${methods.container.join('\n')}
  /** Runs a command by its name: \`await container.call('led.color', { red: 255, green: 0, blue: 0 })\`. */
  call<N extends keyof ContainerCommands>(
    command: N,
    ...params: CallParams<ContainerCommands[N]['params']>
  ): Promise<ContainerCommands[N]['result']>;
  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof ContainerEvents>(event: N, listener: (payload: ContainerEvents[N]) => void): void;
  off<N extends keyof ContainerEvents>(event: N, listener: (payload: ContainerEvents[N]) => void): void;
  /** Whether real panel hardware is present. */
  readonly isOem: boolean;
  readonly version: string;
}

interface MobileBridge {
${methods.MobileBridge.join('\n')}
}

declare global {
  interface Window {
    /** Undefined outside a Faceplate kiosk, in frames, and on foreign origins. */
    readonly container: Container | undefined;
    readonly MobileBridge: MobileBridge | undefined;
  }
}
`;
}

function actionText(action: string, params: Schema, fixed: readonly string[]): string {
  const named = (schema: Schema): string => {
    const properties = Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(([field]) => !fixed.includes(field)),
    );
    return typeText(
      {
        ...schema,
        properties: { action: { const: action }, ...properties },
        required: ['action', ...(schema.required ?? [])],
      },
      '  ',
    );
  };
  return (params.oneOf ?? params.anyOf ?? [params]).map(named).join(' | ');
}

/** The subset of JSON Schema that the contract uses. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  additionalProperties?: boolean | Schema;
  description?: string;
  /** The type itself, when JSON Schema cannot express it. */
  typeText?: string;
  /** The same in openapi.json. */
  'x-typescript'?: string;
}

/** TypeScript text of the JSON Schema subset that the contract uses. */
export function typeText(schema: Schema, indent: string): string {
  const given = schema.typeText ?? schema['x-typescript'];
  if (given !== undefined) return given;
  const choices = schema.anyOf ?? schema.oneOf;
  // Choices that only say which fields are needed have no types of their own.
  const isTyped = choices?.some((choice) => Object.keys(choice).some((key) => key !== 'required'));
  if (choices && isTyped) return choices.map((choice) => typeText(choice, indent)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeText({ ...schema, type }, indent)).join(' | ');
  }
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array': {
      if (schema.prefixItems)
        return `[${schema.prefixItems.map((each) => typeText(each, indent)).join(', ')}]`;
      const item = typeText(schema.items ?? {}, indent);
      return /[|{ ]/.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    case 'object':
      return objectText(schema, indent);
    default:
      return 'unknown';
  }
}

function objectText(schema: Schema, indent: string): string {
  const { properties, additionalProperties } = schema;
  if (!properties) {
    const value =
      typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const doc = field.description ? `${inner}/** ${field.description} */\n` : '';
    return `${doc}${inner}${key(name)}${schema.required?.includes(name) ? '' : '?'}: ${typeText(field, inner)};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n${indent}}`;
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
}

/** Types around `container.sip` that follow from its events. */
const sipTypes = `/** Payloads of \`sip.on\`. */
export type SipEvents = { [E in ContainerEvents['sip'] as E['event']]: E['payload'] };

/** Where a picture of the call is shown; \`rect\` is in fractions of the screen. */
export type SipVideo = { readonly target: 'remote' | 'local' } & (
  | { readonly divId: string }
  | { readonly rect: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } }
);
`;

/** Members of `container.sip` that the page script answers itself. */
const sipMembers = `  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  off<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  /**
   * Plays a picture of the call over an element or a part of the screen, and follows it, until the call ends.
   * Without a call it changes nothing.
   */
  showVideo(video: SipVideo): Promise<SipStatus>;
  resizeVideo(video: SipVideo): Promise<SipStatus>;
  /** Without a target: both pictures. */
  hideVideo(video?: { target?: SipVideo['target'] }): Promise<SipStatus>;
`;
