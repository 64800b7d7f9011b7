import { useMemo, useState } from 'preact/hooks';
import type { PageState } from '../../kiosk/contract.ts';
import { panel as door } from '../../pages/manage/client/panel.ts';
import { hasText, t, timeText } from '../../pages/manage/language.ts';
import { Card, Field, TextField } from '../../pages/manage/ui/card.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { Picture } from '../../pages/manage/ui/picture.tsx';
import type { FleetPanel } from './contract.ts';
import { type Difference, differencesOf, groupsOf, manageAddress } from './viewFacts.ts';

/** Most panels that are drawn; a search finds the others. */
const MAX_SHOWN = 200;

interface ListProps {
  readonly panels: readonly FleetPanel[];
  readonly selected: ReadonlySet<string>;
  readonly onSelected: (ids: ReadonlySet<string>) => void;
}

/** All panels that were heard, and which of them are chosen. */
export function FleetList({ panels, selected, onSelected }: ListProps) {
  const [search, setSearch] = useState('');
  const [group, setGroup] = useState('');
  const info = useCall<{ mqtt: { id: string } }>('system.info');
  const differences = useMemo(() => differencesOf(panels), [panels]);
  const found = panels.filter((one) => (group === '' || one.groups?.includes(group)) && fits(one, search));
  const choose = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    onSelected(next);
  };
  return (
    <Card title={t('fleetPanels')} wide>
      <p class="hint">
        {t('fleetCount', {
          all: panels.length,
          online: panels.filter(({ online }) => online).length,
          selected: selected.size,
        })}
      </p>
      <div class="row">
        <TextField label={t('fleetSearch')} value={search} onText={setSearch} testId="fleet-search" />
        <Field label={t('fleetGroup')}>
          <select
            data-testid="fleet-group"
            value={group}
            onChange={({ currentTarget }) => setGroup(currentTarget.value)}
          >
            <option value="">{t('fleetAllGroups')}</option>
            {groupsOf(panels).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <button
          type="button"
          data-testid="fleet-choose"
          onClick={() =>
            choose(
              found.map(({ id }) => id),
              true,
            )
          }
        >
          {t('fleetChoose')}
        </button>
        <button type="button" data-testid="fleet-choose-none" onClick={() => onSelected(new Set())}>
          {t('fleetChooseNone')}
        </button>
      </div>
      <ul class="entries" data-testid="fleet">
        {found.slice(0, MAX_SHOWN).map((one) => (
          <Row
            key={one.id}
            panel={one}
            isOwn={one.id === info.data?.mqtt.id}
            differences={differences.get(one.id) ?? []}
            isChosen={selected.has(one.id)}
            onChosen={(isOn) => choose([one.id], isOn)}
          />
        ))}
      </ul>
      {found.length > MAX_SHOWN && <p class="hint">{t('fleetMore', { count: found.length - MAX_SHOWN })}</p>}
      <p class="hint">{t('fleetPicturesHint')}</p>
    </Card>
  );
}

function fits({ id, name, address, version, project }: FleetPanel, search: string): boolean {
  const text = [id, name, address, version, project?.name, project?.version].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

interface RowProps {
  readonly panel: FleetPanel;
  readonly isOwn: boolean;
  readonly differences: readonly Difference[];
  readonly isChosen: boolean;
  readonly onChosen: (isOn: boolean) => void;
}

function Row({ panel, isOwn, differences, isChosen, onChosen }: RowProps) {
  const { id, name, version, board, address, https, groups, online, since, project } = panel;
  const page = panel.page as PageState | null;
  const word = `page_${page?.state}`;
  const url = manageAddress(address, https ?? null);
  const facts = [
    version !== null && t('version', { version }),
    board,
    project !== null && `${project.name} ${project.version}`,
    groups !== null && groups.length > 0 && `${t('fleetGroup')}: ${groups.join(', ')}`,
    t('fleetSince', { time: timeText(since) }),
  ].filter((fact) => typeof fact === 'string');
  return (
    <li data-testid={`panel-${id}`}>
      <label class="check">
        <input
          type="checkbox"
          aria-label={t('fleetChooseOne', { name: name ?? id })}
          data-testid={`choose-${id}`}
          checked={isChosen}
          onChange={({ currentTarget }) => onChosen(currentTarget.checked)}
        />
      </label>
      <div class="grow">
        <strong>{name ?? id}</strong>
        <span class={`badge ${online ? 'good' : 'warm'}`}>{online ? t('fleetOnline') : t('fleetAway')}</span>
        {isOwn && <span class="badge">{t('fleetThis')}</span>}
        <code class="key">{id}</code>
        {page !== null && (
          <p class={page.state === 'failed' || page.state === 'blank' ? 'warm' : ''}>
            {t('page')}: {hasText(word) ? t(word) : page.state}
          </p>
        )}
        <p class="hint">{facts.join(' · ')}</p>
        {differences.map(({ group, what, own, most }) => (
          <p key={`${group} ${what}`} class="warm" data-testid={`differs-${id}`}>
            {t('fleetDiffers', { what: t(`fleet_${what}`), own, most, group })}
          </p>
        ))}
        {isOwn && <OwnPicture />}
      </div>
      {!isOwn && url !== undefined && door().door === 'browser' && (
        <a href={url} target="_blank" rel="noreferrer">
          {t('fleetOpen')}
        </a>
      )}
    </li>
  );
}

/** A picture on demand; a browser gets those of other panels only from them. */
function OwnPicture() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('picture')}</summary>
      {isOpen && <Picture />}
    </details>
  );
}
