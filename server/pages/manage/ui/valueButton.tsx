interface ValueButtonProps {
  /** Key of the setting. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly isHeld: boolean;
  readonly onClick: () => void;
}

/** The value of a setting as a button that opens its editor. */
export function ValueButton({ name, label, text, isHeld, onClick }: ValueButtonProps) {
  return (
    <button
      type="button"
      class="value"
      data-testid={`value-${name}`}
      disabled={isHeld}
      aria-label={`${label}: ${text}`}
      onClick={onClick}
    >
      {text}
    </button>
  );
}
