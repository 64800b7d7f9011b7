import { type CommandList, type CommandName, commandList } from '../../contract/commands.ts';
import { events } from '../../contract/events.ts';
import { type ContainerSpec, PAGE_MESSAGE_LIMIT, type PageMethod } from '../../contract/pageBridge.ts';
import { callEventTypes } from '../../intercom/sipContract.ts';

/** An action of a message bridge: the command it runs and its fixed params. */
interface PageAction {
  readonly command: CommandName;
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** What pages can call, made from the `page` surfaces of the command list. */
export interface PageSurfaces {
  /** By `container.sendUdp`, `MobileBridge.oemLaunchApp` and so on. */
  readonly methods: ReadonlyMap<string, PageMethod>;
  /** By bridge name, then by action. */
  readonly bridges: ReadonlyMap<string, ReadonlyMap<string, PageAction>>;
  /** Those of `container.call`, by name. */
  readonly commands: ReadonlyMap<string, CommandName>;
}

/** Collects the page surfaces. @throws Error when two commands use one name, which is a mistake in the contract. */
export function pageSurfaces(list: CommandList = commandList): PageSurfaces {
  const methods = new Map<string, PageMethod>();
  const bridges = new Map<string, Map<string, PageAction>>();
  const commands = new Map<string, CommandName>();
  for (const [command, { page = [], access }] of list) {
    if (access.page !== undefined) commands.set(command, command);
    for (const surface of page) {
      if (surface.kind === 'method') {
        const { object, method, args, jsonOf } = surface;
        claim(methods, `${object}.${method}`, { command, args, ...(jsonOf && { jsonOf }) });
      } else {
        const actions = bridges.get(surface.object) ?? new Map<string, PageAction>();
        bridges.set(surface.object, actions);
        claim(actions, surface.action, { command, fixed: surface.fixed ?? {} });
      }
    }
  }
  return { methods, bridges, commands };
}

function claim<T>(table: Map<string, T>, name: string, value: T): void {
  if (table.has(name)) throw new Error(`Two commands claim "${name}" in the page.`);
  table.set(name, value);
}

/** The parts of the container's description that the command list does not contain. */
interface ContainerOptions {
  readonly version: string;
  /** Real panel hardware is present. */
  readonly isOem: boolean;
  readonly aliases: readonly string[];
}

/** Describes `window.container` for the page script, from the command list and the event list. */
export function containerSpec(options: ContainerOptions): ContainerSpec {
  const { methods, bridges } = pageSurfaces();
  return {
    version: options.version,
    isOem: options.isOem,
    methods: {
      container: methodsOf(methods, 'container'),
      sip: methodsOf(methods, 'sip'),
      MobileBridge: methodsOf(methods, 'MobileBridge'),
    },
    // Pages see `sipVideo` as methods of `container.sip`.
    bridges: [...bridges.keys()].filter((name) => name !== 'sipVideo'),
    events: Object.keys(events),
    sipEvents: Object.keys(callEventTypes),
    aliases: [...options.aliases],
    messageLimit: PAGE_MESSAGE_LIMIT,
  };
}

function methodsOf(methods: ReadonlyMap<string, PageMethod>, object: string): Record<string, PageMethod> {
  const prefix = `${object}.`;
  return Object.fromEntries(
    [...methods]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, method]) => [name.slice(prefix.length), method]),
  );
}
