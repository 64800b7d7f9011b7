import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** What can be reached by the arrow keys. */
const ITEMS = 'a[href], button:not(:disabled), input:not(:disabled)';
const CHOSEN = '[aria-selected="true"], [aria-checked="true"], [aria-pressed="true"], [aria-current="page"]';
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/**
 * Makes a group of controls one stop of the Tab key: the arrow keys, Home and End move inside it (WAI-ARIA Authoring
 * Practices, "Keyboard Navigation Inside Components"). Tab enters it at what is chosen.
 */
function useRoving<E extends HTMLElement>() {
  const place = useRef<E>(null);
  const items = () => [...(place.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
  const stopAt = (stop: HTMLElement | undefined) => {
    for (const item of items()) item.tabIndex = item === stop ? 0 : -1;
  };
  // What is drawn anew may have other items, and another one chosen.
  useLayoutEffect(() => {
    const all = items();
    stopAt(all.find((item) => item === document.activeElement || item.matches(CHOSEN)) ?? all[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = STEPS[event.key];
    const ends: Readonly<Record<string, number>> = { Home: 0, End: all.length - 1 };
    const to = step === undefined ? ends[event.key] : (at + step + all.length) % all.length;
    const next = to === undefined || at === -1 ? undefined : all[to];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  const onFocusIn = ({ target }: Event) => stopAt(target as HTMLElement);
  return { place, onKeyDown, onFocusIn };
}

interface GroupProps {
  readonly role: 'tablist' | 'toolbar' | 'menu';
  readonly label: string;
  readonly isVertical?: boolean;
  readonly class?: string;
  readonly testId?: string | undefined;
  readonly children: ComponentChildren;
}

/** Tabs, a toolbar or a menu: one stop of the Tab key, the arrow keys move in it. */
export function Group({ role, label, isVertical, class: kind = '', testId, children }: GroupProps) {
  const { place, ...keys } = useRoving<HTMLDivElement>();
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of these roles has a name.
    <div
      ref={place}
      class={kind}
      role={role}
      aria-label={label}
      aria-orientation={isVertical ? 'vertical' : undefined}
      data-testid={testId}
      {...keys}
    >
      {children}
    </div>
  );
}

interface Popover {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  /** Where the button and what it opens are. */
  readonly place: Ref<HTMLDivElement>;
}

/** What a button opens below itself: a press elsewhere and Escape close it, and Escape leads the keys back to the button. */
export function usePopover(): Popover {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = ({ target }: Event) => {
      if (!place.current?.contains(target as Node)) setOpen(false);
    };
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      place.current?.querySelector('button')?.focus();
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('keydown', closeByKey);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('keydown', closeByKey);
    };
  }, [isOpen]);
  return { isOpen, setOpen, place };
}

export interface MenuItem {
  readonly name: string;
  readonly act: () => void;
  readonly isDangerous?: boolean;
  /** Why it cannot be done now; it is shown below the name. */
  readonly reason?: string | undefined;
  readonly testId?: string;
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly testId?: string;
}

/** What is done seldom, behind three dots. What cannot be done now says why, and stays within reach of the keys. */
export function OverflowMenu({ label, items, testId }: MenuProps) {
  const { isOpen, setOpen, place } = usePopover();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const openAt = (end: 'first' | 'last') => {
    setOpen(true);
    requestAnimationFrame(() => {
      const all = [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
      all.at(end === 'first' ? 0 : -1)?.focus();
    });
  };
  return (
    <div class="popover" ref={place}>
      <button
        type="button"
        class="ghost icon-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        data-testid={testId}
        onClick={() => (isOpen ? setOpen(false) : openAt('first'))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          openAt(event.key === 'ArrowDown' ? 'first' : 'last');
        }}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the menu inside.
        <div
          ref={list}
          id={id}
          class="popover-menu"
          // The Tab key leaves a menu.
          onKeyDown={({ key }) => key === 'Tab' && setOpen(false)}
        >
          <Group role="menu" label={label}>
            {items.map(({ name, act, isDangerous, reason, testId: item }) => (
              <button
                key={name}
                type="button"
                role="menuitem"
                class={isDangerous ? 'ghost dangerous' : 'ghost'}
                aria-disabled={reason !== undefined}
                data-testid={item}
                onClick={() => {
                  if (reason !== undefined) return;
                  setOpen(false);
                  act();
                }}
              >
                {name}
                {reason !== undefined && <span class="hint">{reason}</span>}
              </button>
            ))}
          </Group>
        </div>
      )}
    </div>
  );
}
