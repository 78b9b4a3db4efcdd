export {plot, dot, ruleX, ruleY, link, line, text, axisX, axisY, gridX, gridY, tip, pointer, frame, barX, dodgeY, dodgeX} from "@observablehq/plot";
