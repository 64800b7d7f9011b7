import type { FleetPanel, RolloutProgress } from './contract.ts';

/** What the panels of a group have in common, and may differ in. */
const compared = {
  version: ({ version }: FleetPanel) => version,
  project: ({ project }: FleetPanel) => (project === null ? null : `${project.name} ${project.version}`),
  board: ({ board }: FleetPanel) => board,
} as const;

/** One thing in which a panel is not as most of its group. */
export interface Difference {
  readonly group: string;
  readonly what: keyof typeof compared;
  readonly own: string;
  readonly most: string;
}

/** In what each panel differs from more than half of a group that it is in; what is not known does not count. */
export function differencesOf(panels: readonly FleetPanel[]): ReadonlyMap<string, readonly Difference[]> {
  const found = new Map<string, Difference[]>();
  for (const group of groupsOf(panels)) {
    const members = panels.filter(({ groups }) => groups?.includes(group));
    for (const what of Object.keys(compared) as (keyof typeof compared)[]) {
      const most = majorityOf(members.map(compared[what]));
      for (const panel of most === undefined ? [] : members) {
        const own = compared[what](panel);
        if (own !== null && own !== most)
          found.set(panel.id, [...(found.get(panel.id) ?? []), { group, what, own, most: most! }]);
      }
    }
  }
  return found;
}

/** All groups, by name. */
export function groupsOf(panels: readonly FleetPanel[]): string[] {
  return [...new Set(panels.flatMap(({ groups }) => groups ?? []))].sort();
}

function majorityOf(values: readonly (string | null)[]): string | undefined {
  const counts = new Map<string, number>();
  const known = values.filter((value) => value !== null);
  for (const value of known) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].find(([, count]) => count * 2 > known.length)?.[0];
}

/**
 * The address of a panel's own /manage/; undefined for one that is no address of a machine.
 * @param https its port of HTTPS; null where that is off
 */
export function manageAddress(address: string | null, https: number | null): string | undefined {
  const isAddress =
    address !== null && /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):\d{1,5}$/.test(address);
  return isAddress ? `${webOrigin(address, https)}/manage/` : undefined;
}

/** The origin of a panel, by HTTPS where it is on. @param address its `<ip>:<port>` of HTTP */
export function webOrigin(address: string, https: number | null): string {
  return https === null ? `http://${address}` : `https://${address.replace(/\d+$/, String(https))}`;
}

/** Ids of the panels that a roll-out left as they were, or that did not get well. */
export function leftOf({ panels }: Pick<RolloutProgress, 'panels'>): string[] {
  return panels.filter(({ state }) => state !== 'healthy').map(({ id }) => id);
}

/** What makes a panel itself, or is the owner's alone: other panels do not get it. */
const NOT_SHARED = new RegExp(
  [
    /^(?:device\.name|dataDir|token|board|host|update\.keys|apps\.installDir|sip\.panelSecret|streams\.talkFromAfar|ir\.itachPort)$/,
    /^(?:https?|approval|terminal|bridge)\./,
    /^kiosk\.(?:browserArguments|pin|user|inject|secureOrigins|authorities|debugPort)$/,
    /^mqtt\.(?:id|scopes|authorities|certificate|key|fleet)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Whether other panels may get a setting of this one: nothing that is hidden from the viewer. */
export function mayShare(key: string, entry: { readonly set?: boolean; readonly value?: unknown }): boolean {
  const isHidden = /[?#]…|"…"/.test(JSON.stringify(entry.value) ?? '');
  return entry.set === undefined && !isHidden && !NOT_SHARED.test(key);
}
