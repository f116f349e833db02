/** Says whether a figure has fallen by this much since it last said so, or since its highest value after that. */
export type Fall = (figure: number) => boolean;

export function watchFall(by: number): Fall {
  let highest = 0;
  return (figure) => {
    const hasFallen = figure < highest - by;
    highest = hasFallen ? figure : Math.max(highest, figure);
    return hasFallen;
  };
}
