import type { ResultOf } from '../contract/commands.ts';
import { t, timeText } from '../pages/manage/language.ts';
import { Card, EmptyState } from '../pages/manage/ui/card.tsx';

type Entry = ResultOf<'intercom.state'>['history'][number];

/** The last calls, the newest first. */
export function CallHistory({ history }: { history: readonly Entry[] }) {
  return (
    <Card title={t('history')} wide>
      {history.length === 0 ? (
        <EmptyState icon="bell" words={t('noCalls')} />
      ) : (
        <table data-testid="call-history">
          <thead>
            <tr>
              <th scope="col">{t('when')}</th>
              <th scope="col">{t('who')}</th>
              <th scope="col">{t('result')}</th>
            </tr>
          </thead>
          <tbody>
            {history.map((entry) => (
              <Row key={`${entry.callId} ${entry.startedAt}`} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Row({ entry }: { entry: Entry }) {
  const { direction, name, address, startedAt, seconds, outcome } = entry;
  return (
    <tr>
      <td>{timeText(startedAt)}</td>
      <td>
        {t(direction)} {name}
        {address !== '' && address !== name && <span class="hint"> {address}</span>}
      </td>
      <td>
        {t(`outcome_${outcome}`)}
        {outcome === 'answered' && <span class="hint"> {t('talked', { seconds })}</span>}
      </td>
    </tr>
  );
}
