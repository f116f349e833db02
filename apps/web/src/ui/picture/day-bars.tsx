/** `text` is a tooltip, for charts that show no other text. */
export type DayBar = { key: string; value: number; text?: string };

export type DayBarsProps = {
  bars: readonly DayBar[];
  className: string;
  /** The value at full height: by default the highest one. Set it if an axis next to the bars ends elsewhere. */
  top?: number;
  chosen?: number | undefined;
};

/** Units of the drawing, which is stretched to its container. */
const step = 10;
const gap = 3;
const height = 64;
const minHeight = 2;

/** One bar per day. Hidden from screen readers: add a table for them. */
export function DayBars({ bars, className, top, chosen }: DayBarsProps) {
  const most = top ?? Math.max(1, ...bars.map(({ value }) => value));
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${bars.length * step - gap} ${height}`}
      preserveAspectRatio="none"
      className={`block w-full ${className}`}
    >
      {bars.map((bar, index) => (
        <Bar key={bar.key} bar={bar} x={index * step} share={bar.value / most} isChosen={index === chosen} />
      ))}
    </svg>
  );
}

type BarProps = { bar: DayBar; x: number; share: number; isChosen: boolean };

/** The whole column responds to the pointer, since a low bar is hard to hit. */
function Bar({ bar: { value, text }, x, share, isChosen }: BarProps) {
  const isEmpty = value <= 0;
  const tall = isEmpty ? minHeight / 2 : Math.max(minHeight, share * height);
  return (
    <g className="group">
      {text !== undefined && <title>{text}</title>}
      <rect x={x} y={0} width={step - gap} height={height} className="fill-transparent" />
      <rect
        x={x}
        y={height - tall}
        width={step - gap}
        height={tall}
        className={
          isChosen
            ? 'fill-accent forced-colors:fill-[Highlight]'
            : isEmpty
              ? 'fill-line'
              : 'fill-line-strong transition-colors group-hover:fill-ink forced-colors:fill-[CanvasText]'
        }
      />
    </g>
  );
}
