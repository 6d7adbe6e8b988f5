<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Cli</name>
    <message>
        <source>measuring before training</source>
        <translation>先量训练前的损失</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>损失 %1</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>还要 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>装得下</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>装不下</translation>
    </message>
    <message>
        <source>%1 steps in %2</source>
        <translation>%1 步，用时 %2</translation>
    </message>
    <message>
        <source>Importing the model from %1</source>
        <translation>正在从 %1 导入模型</translation>
    </message>
    <message>
        <source>Going on with %1 from step %2</source>
        <translation>%1 从第 %2 步接着跑</translation>
    </message>
    <message>
        <source>Saving a checkpoint; run the demo again to go on</source>
        <translation>正在保存检查点；再运行一次演示就接着跑</translation>
    </message>
    <message>
        <source>Loss    %1  %2 → %3</source>
        <translation>损失    %1  %2 → %3</translation>
    </message>
    <message>
        <source>Loss on the 32 rows held aside: %1 before, %2 after</source>
        <translation>留出的 32 行上的损失：训练前 %1，训练后 %2</translation>
    </message>
    <message>
        <source>Asked: %1</source>
        <translation>提问：%1</translation>
    </message>
    <message>
        <source>Before: %1</source>
        <translation>训练前：%1</translation>
    </message>
    <message>
        <source>After: %1</source>
        <translation>训练后：%1</translation>
    </message>
    <message>
        <source>The adapter is in %1</source>
        <translation>适配器在 %1</translation>
    </message>
    <message>
        <source>Plan: %1</source>
        <translation>计划：%1</translation>
    </message>
    <message>
        <source>The run failed; %1 tells why</source>
        <translation>运行失败；原因见 %1</translation>
    </message>
    <message>
        <source>The trainer ended before its first event; %1 tells why</source>
        <translation>训练程序还没开始就结束了；原因见 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Run %1 in %2</source>
        <translation>运行 %1，文件夹 %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>No runs yet: start one with rentune run JOB</source>
        <translation>还没有运行：用 rentune run JOB 开始</translation>
    </message>
    <message>
        <source>Waiting for the checkpoint</source>
        <translation>正在等检查点</translation>
    </message>
    <message>
        <source>%1 of %2 rows can be used (%3)</source>
        <translation>%2 行中 %1 行可用（%3）</translation>
    </message>
    <message>
        <source>Tokens a row: %1 median, %2 at most</source>
        <translation>每行 token 数：中位 %1，最多 %2</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 天 %2 小时</translation>
    </message>
    <message>
        <source>today %1</source>
        <translation>今天 %1</translation>
    </message>
    <message>
        <source>MMM d</source>
        <translation>M月d日</translation>
    </message>
</context>
<context>
    <name>PlanHeadline</name>
    <message>
        <source>this computer</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>Does not work</source>
        <translation>行不通</translation>
    </message>
    <message>
        <source>The largest part is %1 with %2. Nothing has been spent.</source>
        <translation>最大的一块是%1 %2。还没有花钱。</translation>
    </message>
    <message>
        <source>No plan yet</source>
        <translation>还算不出来</translation>
    </message>
    <message>
        <source>Choose a model to begin</source>
        <translation>选一个模型就开始算</translation>
    </message>
    <message>
        <source>%1, done %2, out-of-memory risk %3</source>
        <translation>%1，%2 前后完成，显存溢出风险 %3</translation>
    </message>
    <message>
        <source>Costs nothing</source>
        <translation>不花钱</translation>
    </message>
    <message>
        <source>No price</source>
        <translation>没有价格</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>%1 %2 an hour</source>
        <comment>price class, amount</comment>
        <translation>%1 %2/小时</translation>
    </message>
    <message>
        <source>%1 trained parameters</source>
        <translation>训练 %1参数</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>开始运行</translation>
    </message>
    <message>
        <source>there is no plan yet</source>
        <translation>还没有算出计划</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>装不下，不能开始</translation>
    </message>
    <message>
        <source>choose a model folder: a catalogue entry has no weights</source>
        <translation>要运行，先选一个模型文件夹：目录里的条目没有权重</translation>
    </message>
    <message>
        <source>choose a data file</source>
        <translation>要运行，先选数据文件</translation>
    </message>
    <message>
        <source>this computer has no such card: choose “This computer”</source>
        <translation>这台电脑没有这张卡：显卡选“这台电脑”就能运行</translation>
    </message>
    <message>
        <source>Run here · costs nothing</source>
        <translation>在本机运行 · 不花钱</translation>
    </message>
    <message>
        <source>Run · at most %1</source>
        <translation>开始运行 · 最多 %1</translation>
    </message>
    <message>
        <source>Run · no cap</source>
        <translation>开始运行 · 没有上限</translation>
    </message>
    <message>
        <source>take one of the remedies first</source>
        <translation>先采用下面的一个办法</translation>
    </message>
    <message>
        <source>Time and cost unknown, out-of-memory risk %1</source>
        <translation>时间和费用未知，显存溢出风险 %1</translation>
    </message>
    <message>
        <source>The catalogue states no speed of this card</source>
        <translation>显卡库里没有这张卡的速度</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Base weights</source>
        <translation>基座权重</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Master weights</source>
        <translation>fp32 主权重</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>logits</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信缓冲</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Allocator reserve</source>
        <translation>分配器预留</translation>
    </message>
    <message>
        <source>CUDA context</source>
        <translation>CUDA 上下文</translation>
    </message>
    <message>
        <source>peak while loading</source>
        <translation>峰值在加载时</translation>
    </message>
    <message>
        <source>peak in the forward pass</source>
        <translation>峰值在前向</translation>
    </message>
    <message>
        <source>peak in the backward pass</source>
        <translation>峰值在反向传播</translation>
    </message>
    <message>
        <source>peak in the optimizer step</source>
        <translation>峰值在优化器更新</translation>
    </message>
    <message>
        <source>peak while saving</source>
        <translation>峰值在保存时</translation>
    </message>
    <message>
        <source>On-demand</source>
        <translation>按量付费</translation>
    </message>
    <message>
        <source>Spot</source>
        <translation>竞价（抢占式）</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>包月</translation>
    </message>
    <message>
        <source>Owned</source>
        <translation>自有机器</translation>
    </message>
    <message>
        <source>none</source>
        <translation>不用</translation>
    </message>
    <message>
        <source>Does not fit: %1 on each card, %2 too many</source>
        <translation>装不下：每卡需要 %1，差 %2</translation>
    </message>
    <message>
        <source>This card has no bf16 units</source>
        <translation>这张卡不支持 bf16</translation>
    </message>
    <message>
        <source>This computer has no such card</source>
        <translation>这台电脑没有这张卡</translation>
    </message>
    <message>
        <source>Training runs on NVIDIA cards and CPUs</source>
        <translation>只能在 NVIDIA 显卡和 CPU 上训练</translation>
    </message>
    <message>
        <source>The cap is too low for this job</source>
        <translation>预算上限不够跑完这个作业</translation>
    </message>
    <message>
        <source>The time limit is too short for this job</source>
        <translation>时间上限不够跑完这个作业</translation>
    </message>
    <message>
        <source>Planned, but this version can&apos;t run it yet</source>
        <translation>能规划，但这个版本还不能运行</translation>
    </message>
    <message>
        <source>Max length is beyond what the model was made for</source>
        <translation>最大长度超过了模型支持的范围</translation>
    </message>
    <message>
        <source>Several cards without a strategy: planned as DDP</source>
        <translation>多卡但没选并行策略：按 DDP 计算</translation>
    </message>
    <message>
        <source>The data has no usable row</source>
        <translation>数据里没有可用的行</translation>
    </message>
    <message>
        <source>Weights that are trained can&apos;t be quantized</source>
        <translation>要训练的权重不能量化</translation>
    </message>
    <message>
        <source>One card: sharding saves nothing</source>
        <translation>只有一张卡，切分省不了显存</translation>
    </message>
    <message>
        <source>No data chosen yet: every row counts as full length</source>
        <translation>还没有选数据：每行都按最大长度算</translation>
    </message>
    <message>
        <source>Lengths are estimated from characters</source>
        <translation>长度是按字数估计的</translation>
    </message>
    <message>
        <source>The data file can&apos;t be read; lengths are assumed</source>
        <translation>数据文件读不了，长度是假定的</translation>
    </message>
    <message>
        <source>Quantize the base to %1</source>
        <translation>基座量化成 %1</translation>
    </message>
    <message>
        <source>Method %1</source>
        <translation>改用 %1</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>秩改为 %1</translation>
    </message>
    <message>
        <source>Micro batch %1</source>
        <translation>单卡批大小改为 %1</translation>
    </message>
    <message>
        <source>Gradient checkpointing on</source>
        <translation>打开梯度检查点</translation>
    </message>
    <message>
        <source>Precision %1</source>
        <translation>精度改为 %1</translation>
    </message>
    <message>
        <source>Max length %1</source>
        <translation>最大长度改为 %1</translation>
    </message>
    <message>
        <source>Strategy %1</source>
        <translation>并行策略改为 %1</translation>
    </message>
    <message>
        <source>Offload %1 to memory</source>
        <translation>把 %1 卸载到内存</translation>
    </message>
    <message>
        <source>Optimizer %1</source>
        <translation>优化器改为 %1</translation>
    </message>
    <message>
        <source>%1 cards</source>
        <translation>用 %1 张卡</translation>
    </message>
    <message>
        <source>Take a %1</source>
        <translation>换成 %1</translation>
    </message>
    <message>
        <source>The file is missing</source>
        <translation>文件不存在</translation>
    </message>
    <message>
        <source>The file can&apos;t be read</source>
        <translation>文件读不了</translation>
    </message>
    <message>
        <source>The file is too large</source>
        <translation>文件太大</translation>
    </message>
    <message>
        <source>The JSON is broken</source>
        <translation>JSON 有语法错误</translation>
    </message>
    <message>
        <source>The job file is broken</source>
        <translation>作业文件有语法错误</translation>
    </message>
    <message>
        <source>The job file has an unknown key</source>
        <translation>作业文件里有不认识的键</translation>
    </message>
    <message>
        <source>The job file has a key twice</source>
        <translation>作业文件里有重复的键</translation>
    </message>
    <message>
        <source>A value of the job has the wrong type</source>
        <translation>作业里有一个值的类型不对</translation>
    </message>
    <message>
        <source>A value of the job is impossible</source>
        <translation>作业里有一个值不成立</translation>
    </message>
    <message>
        <source>The job lacks a value</source>
        <translation>作业缺一个值</translation>
    </message>
    <message>
        <source>Two values of the job contradict each other</source>
        <translation>作业里有两个值互相矛盾</translation>
    </message>
    <message>
        <source>This version can&apos;t do what the job asks for</source>
        <translation>这个版本还做不到作业要求的事</translation>
    </message>
    <message>
        <source>The model&apos;s config.json is broken</source>
        <translation>模型的 config.json 有问题</translation>
    </message>
    <message>
        <source>This kind of model is not supported</source>
        <translation>不支持这种模型</translation>
    </message>
    <message>
        <source>The model&apos;s weights are missing</source>
        <translation>缺少模型权重</translation>
    </message>
    <message>
        <source>The weights don&apos;t match config.json</source>
        <translation>权重和 config.json 对不上</translation>
    </message>
    <message>
        <source>The target modules don&apos;t fit this model</source>
        <translation>目标模块在这个模型里不存在</translation>
    </message>
    <message>
        <source>The data file has no known format</source>
        <translation>认不出数据文件的格式</translation>
    </message>
    <message>
        <source>A row of the data is broken</source>
        <translation>数据里有一行坏了</translation>
    </message>
    <message>
        <source>The run folder is in use already</source>
        <translation>运行文件夹已经被占用</translation>
    </message>
    <message>
        <source>There is no such run</source>
        <translation>没有这个运行</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>内存不够</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>磁盘满了</translation>
    </message>
    <message>
        <source>Writing to the disk failed</source>
        <translation>写磁盘失败</translation>
    </message>
    <message>
        <source>A checkpoint is damaged</source>
        <translation>检查点损坏</translation>
    </message>
    <message>
        <source>The cap is reached</source>
        <translation>到了预算上限</translation>
    </message>
    <message>
        <source>The loss is no number any more</source>
        <translation>损失变成了非数值</translation>
    </message>
    <message>
        <source>A fault of Rentune itself</source>
        <translation>云炼自身的故障</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>what is wrong, detail</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>意外中断</translation>
    </message>
    <message>
        <source>start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>notice</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>样例</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>花费</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>end</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>The command line can&apos;t be understood</source>
        <translation>命令行看不懂</translation>
    </message>
    <message>
        <source>The run is not in a state for that</source>
        <translation>运行现在的状态不允许这样做</translation>
    </message>
    <message>
        <source>The safetensors file is broken</source>
        <translation>safetensors 文件坏了</translation>
    </message>
    <message>
        <source>The safetensors file is cut off</source>
        <translation>safetensors 文件不完整</translation>
    </message>
    <message>
        <source>The index of the weights is broken</source>
        <translation>权重索引坏了</translation>
    </message>
    <message>
        <source>The GGUF file is broken</source>
        <translation>GGUF 文件坏了</translation>
    </message>
    <message>
        <source>This kind of GGUF file is not supported</source>
        <translation>不支持这种 GGUF 文件</translation>
    </message>
    <message>
        <source>The adapter doesn&apos;t belong to this model</source>
        <translation>适配器和这个模型对不上</translation>
    </message>
    <message>
        <source>The tokenizer file is broken</source>
        <translation>分词器文件坏了</translation>
    </message>
    <message>
        <source>This kind of tokenizer is not supported</source>
        <translation>不支持这种分词器</translation>
    </message>
    <message>
        <source>The model has no chat template</source>
        <translation>模型没有对话模板</translation>
    </message>
    <message>
        <source>The chat template is broken</source>
        <translation>对话模板有语法错误</translation>
    </message>
    <message>
        <source>The chat template refuses this conversation</source>
        <translation>对话模板拒绝了这段对话</translation>
    </message>
    <message>
        <source>The chat template takes too long</source>
        <translation>对话模板运行太久</translation>
    </message>
    <message>
        <source>The run was written by a newer version</source>
        <translation>这个运行是更新的版本写的</translation>
    </message>
    <message>
        <source>The event log is broken</source>
        <translation>事件日志坏了</translation>
    </message>
    <message>
        <source>A table of the catalogue is broken</source>
        <translation>目录里有一张表坏了</translation>
    </message>
    <message>
        <source>The network failed</source>
        <translation>网络出错</translation>
    </message>
    <message>
        <source>The ranks lost each other</source>
        <translation>各进程之间失去联系</translation>
    </message>
    <message>
        <source>The database of runs can&apos;t be used</source>
        <translation>运行数据库不能用</translation>
    </message>
    <message>
        <source>Stopped on notice</source>
        <translation>收到通知后停下</translation>
    </message>
    <message>
        <source>The store was damaged; it was kept as %1 and a new one begun</source>
        <translation>数据库损坏；旧的留作 %1，已新建一个</translation>
    </message>
    <message>
        <source>The catalogue states no speed of this card</source>
        <translation>显卡库里没有这张卡的速度</translation>
    </message>
</context>
<context>
    <name>rentune::app::EmptyRuns</name>
    <message>
        <source>the loss will be drawn here</source>
        <translation>损失曲线会画在这里</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>还没有运行</translation>
    </message>
    <message>
        <source>Once a run has started, its loss, memory and speed are shown here as they come. Closing the window does not matter: a run is a process of its own, and its whole curve is there when you come back.</source>
        <translation>运行开始后，这里会实时显示损失、内存和速度。关掉窗口也不影响：每个运行都是独立的进程，回来时整条曲线都在。</translation>
    </message>
    <message>
        <source>Plan a run</source>
        <translation>去规划一次运行</translation>
    </message>
</context>
<context>
    <name>rentune::app::GpuModel</name>
    <message>
        <source>no price</source>
        <translation>没有价格</translation>
    </message>
    <message>
        <source>%1 short</source>
        <translation>差 %1</translation>
    </message>
    <message>
        <source>over by %1</source>
        <translation>超预算 %1</translation>
    </message>
    <message>
        <source>late by %1</source>
        <translation>晚 %1</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>VRAM per GPU</source>
        <translation>每卡显存</translation>
    </message>
    <message>
        <source>Hours</source>
        <translation>小时</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>花费</translation>
    </message>
    <message>
        <source>OOM risk</source>
        <translation>溢出风险</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>约束</translation>
    </message>
</context>
<context>
    <name>rentune::app::LiveChart</name>
    <message>
        <source>%1 points, now %2</source>
        <translation>%1 个点，现在 %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>smoothed %1</source>
        <translation>平滑 %1</translation>
    </message>
    <message>
        <source>raw %1</source>
        <translation>原始 %1</translation>
    </message>
</context>
<context>
    <name>rentune::app::MainWindow</name>
    <message>
        <source>About Rentune</source>
        <translation>关于云炼</translation>
    </message>
    <message>
        <source>Rentune %1 plans a fine-tune, runs it and takes the result home.

GPL-3.0-or-later. It works offline and sends nothing anywhere.</source>
        <translation>云炼 %1：先算清微调要花多少，再运行，最后把结果带回家。

GPL-3.0-or-later。离线可用，不向任何地方发送数据。</translation>
    </message>
    <message>
        <source>Rentune</source>
        <translation>云炼</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Open a job…</source>
        <translation>打开作业(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save the job…</source>
        <translation>保存作业(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>规划(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Runs</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Job</source>
        <translation>作业(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>开始运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;About Rentune</source>
        <translation>关于云炼(&amp;A)</translation>
    </message>
    <message>
        <source>No prices</source>
        <translation>没有价格</translation>
    </message>
    <message>
        <source>Prices as of %1</source>
        <translation>价格目录 %1</translation>
    </message>
    <message>
        <source>Works offline · no telemetry</source>
        <translation>离线可用 · 无遥测</translation>
    </message>
</context>
<context>
    <name>rentune::app::MeasuredTable</name>
    <message>
        <source>Plan vs measured</source>
        <translation>计划对实测</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Diff.</source>
        <translation>差</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Memory peak</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>总计</translation>
    </message>
</context>
<context>
    <name>rentune::app::MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation>知道了</translation>
    </message>
</context>
<context>
    <name>rentune::app::PageHeader</name>
    <message>
        <source>Nothing is billing</source>
        <translation>没有机器在计费</translation>
    </message>
    <message>
        <source>Runs on this computer cost nothing; rented machines would be counted here</source>
        <translation>本机运行不花钱；租用的机器会在这里计费</translation>
    </message>
</context>
<context>
    <name>rentune::app::PlanAnswerView</name>
    <message>
        <source>Which GPUs fit</source>
        <translation>哪些显卡装得下</translation>
    </message>
    <message>
        <source>%1 of %2 fit; double click takes one</source>
        <translation>%2 种里装得下 %1 种；双击换用</translation>
    </message>
    <message>
        <source>Memory of this computer</source>
        <translation>这台电脑的内存</translation>
    </message>
    <message>
        <source>VRAM per GPU</source>
        <translation>每卡显存</translation>
    </message>
    <message>
        <source>range %1–%2 GiB</source>
        <translation>区间 %1–%2 GiB</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>容量 %1</translation>
    </message>
</context>
<context>
    <name>rentune::app::PlanInputs</name>
    <message>
        <source>Max length</source>
        <translation>最大长度</translation>
    </message>
    <message>
        <source>Rank / α</source>
        <translation>秩 / α</translation>
    </message>
    <message>
        <source>Targets</source>
        <translation>目标模块</translation>
    </message>
    <message>
        <source>Base in</source>
        <translation>基座量化</translation>
    </message>
    <message>
        <source>Epochs / steps</source>
        <translation>轮数 / 步数</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Cards</source>
        <translation>卡数 / 并行</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>单价</translation>
    </message>
    <message>
        <source>Cap / time</source>
        <translation>上限 / 时长</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>保存间隔</translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Data file</source>
        <translation>数据文件</translation>
    </message>
    <message>
        <source>Data files (*.jsonl *.json *.csv *.tsv);;All files (*)</source>
        <translation>数据文件 (*.jsonl *.json *.csv *.tsv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>× %1 cards = %2</source>
        <translation>× %1 卡 = %2</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1参数</translation>
    </message>
    <message>
        <source>%1 usable rows</source>
        <translation>%1 行可用</translation>
    </message>
    <message>
        <source>%1 tokens on average</source>
        <translation>平均 %1 token</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>选文件夹…</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选文件…</translation>
    </message>
    <message>
        <source>A jsonl, json or csv file</source>
        <translation>jsonl、json 或 csv 文件</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>截断</translation>
    </message>
    <message>
        <source>Drop</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>全参数</translation>
    </message>
    <message>
        <source>by epochs</source>
        <translation>按轮数</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> 步</translation>
    </message>
    <message>
        <source>Gradient checkpointing</source>
        <translation>梯度检查点</translation>
    </message>
    <message>
        <source>A number such as 1e-4; the last good one stays</source>
        <translation>要填 1e-4 这样的数；先沿用上一个有效值</translation>
    </message>
    <message>
        <source>This computer (CPU)</source>
        <translation>这台电脑（CPU）</translation>
    </message>
    <message>
        <source>from the catalogue</source>
        <translation>按价格目录</translation>
    </message>
    <message>
        <source> /h</source>
        <translation> /小时</translation>
    </message>
    <message>
        <source>no cap</source>
        <translation>没有上限</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限时</translation>
    </message>
    <message>
        <source> h</source>
        <translation> 小时</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>its own precision</source>
        <translation>不量化</translation>
    </message>
    <message>
        <source>Grad. ckpt</source>
        <translation>梯度检查点</translation>
    </message>
</context>
<context>
    <name>rentune::app::PlannerPage</name>
    <message>
        <source>Job files (*.yaml *.yml *.json)</source>
        <translation>作业文件 (*.yaml *.yml *.json)</translation>
    </message>
    <message>
        <source>Open a job</source>
        <translation>打开作业</translation>
    </message>
    <message>
        <source>Save the job</source>
        <translation>保存作业</translation>
    </message>
    <message>
        <source>New job</source>
        <translation>新作业</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
</context>
<context>
    <name>rentune::app::PriceTiles</name>
    <message>
        <source>No price</source>
        <translation>没有价格</translation>
    </message>
    <message>
        <source>none in the catalogue</source>
        <translation>价格目录里没有</translation>
    </message>
    <message>
        <source>your own price</source>
        <translation>自填价格</translation>
    </message>
    <message>
        <source>/h</source>
        <translation>/小时</translation>
    </message>
</context>
<context>
    <name>rentune::app::RailButton</name>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n 个运行中</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rentune::app::RelaxList</name>
    <message>
        <source>Give way in one point and it fits</source>
        <translation>放宽一项就行</translation>
    </message>
    <message>
        <source>nearest to the present plan first</source>
        <translation>离现在最近的在前</translation>
    </message>
    <message>
        <source>%1 of %2 per card</source>
        <translation>每卡 %1，容量 %2</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Apply: %1</source>
        <translation>采用：%1</translation>
    </message>
</context>
<context>
    <name>rentune::app::RunCharts</name>
    <message>
        <source>resumed</source>
        <translation>接上</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Raw</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>Log axis</source>
        <translation>对数轴</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Memory GiB</source>
        <translation>内存 GiB</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
</context>
<context>
    <name>rentune::app::RunFigures</name>
    <message>
        <source>%1 against plan</source>
        <translation>比计划 %1</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>完成时间</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>Loss (smoothed)</source>
        <translation>损失（平滑）</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 / %2 步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>还要 %1</translation>
    </message>
    <message>
        <source>planned %1</source>
        <translation>计划 %1</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>eval %1</source>
        <translation>验证 %1</translation>
    </message>
</context>
<context>
    <name>rentune::app::RunListModel</name>
    <message>
        <source>%1 · step %2 · %3</source>
        <translation>%1 · 第 %2 步 · %3</translation>
    </message>
</context>
<context>
    <name>rentune::app::RunView</name>
    <message>
        <source>The run&apos;s events can&apos;t be read on</source>
        <translation>运行的事件读不下去了</translation>
    </message>
    <message>
        <source>The process ended without a word at step %1. Resume goes on from the last checkpoint.</source>
        <translation>进程在第 %1 步突然没了。点“继续”从最近的检查点接上。</translation>
    </message>
    <message>
        <source>The run failed at step %1. What was saved is kept.</source>
        <translation>运行在第 %1 步失败。已保存的都还在。</translation>
    </message>
    <message>
        <source>See trainer.log in %1</source>
        <translation>原因见 %1 里的 trainer.log</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Find in log</source>
        <translation>查找日志</translation>
    </message>
</context>
<context>
    <name>rentune::app::RunsPage</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Save and stop</source>
        <translation>保存后停止</translation>
    </message>
    <message>
        <source>Stop now</source>
        <translation>立即停止</translation>
    </message>
    <message>
        <source>Ends the run at once; steps since the last checkpoint are lost</source>
        <translation>马上结束；上一个检查点之后的步会丢掉</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>rentune::app::VramBar</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Training state</source>
        <translation>训练状态</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>容量</translation>
    </message>
</context>
</TS>
